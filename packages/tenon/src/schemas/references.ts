import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { Draft } from './draft.js';

/** Keywords whose members are schemas by name, and those that hold data, in which nothing is a schema. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];
const DATA = ['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', 'type'];
/** Where a schema is that names itself nowhere. */
const HERE = 'schema:/';

/** Which schema a reference means, inside of one document: nothing is ever fetched. */
export class References {
  readonly #draft: Draft;
  readonly #named = new Map<string, JsonObject>();
  readonly #bases = new Map<JsonObject, string>();
  /** Schemas that take the place of those of the same name in the schemas that they refer to. */
  readonly #dynamic = new Map<string, JsonObject>();

  /** Throws where an identifier is none. `each` is given every schema of the document. */
  constructor(root: JsonObject, draft: Draft, each: (node: JsonObject) => void) {
    this.#draft = draft;
    this.#named.set(HERE, root);
    this.#visit(root, HERE, each);
  }

  get isDynamic(): boolean {
    return this.#dynamic.size > 0;
  }

  baseOf(node: JsonObject): string {
    return this.#bases.get(node) ?? HERE;
  }

  /**
   * The schema that a dynamic reference means, on a way through the documents of these bases.
   * https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.3.2
   */
  findDynamic(reference: string, from: JsonObject, scope: readonly string[]): unknown {
    const target = this.find(reference, from);
    const name = reference.split('#', 2)[1] ?? '';
    if (!isObject(target) || this.#dynamic.get(`${this.baseOf(target)}#${name}`) !== target) return target;
    const first = scope.find(base => this.#dynamic.has(`${base}#${name}`));
    return this.#dynamic.get(`${first}#${name}`) ?? target;
  }

  /** The schema that a reference of a schema means; nothing when it is none of this document. */
  find(reference: string, from: JsonObject): unknown {
    const [document = '', fragment = ''] = reference.split('#', 2);
    const base = this.baseOf(from);
    try {
      const name = document === '' ? base : new URL(document, base).href;
      const pointer = decodeURIComponent(fragment);
      if (pointer === '') return this.#named.get(name);
      return pointer.startsWith('/') ? this.#follow(name, pointer) : this.#named.get(`${name}#${pointer}`);
    } catch {
      return undefined;
    }
  }

  #follow(name: string, pointer: string): unknown {
    let node: unknown = this.#named.get(name);
    let base = name;
    for (const token of pointer.slice(1).split('/')) {
      const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, key)) return undefined;
      node = (node as JsonObject)[key];
      base = this.#bases.get(node as JsonObject) ?? base;
    }
    if (isObject(node)) this.#bases.set(node, base);
    return node;
  }

  #visit(node: unknown, around: string, each: (node: JsonObject) => void): void {
    if (Array.isArray(node)) for (const item of node) this.#visit(item, around, each);
    if (!isObject(node)) return;
    const base = this.#name(node, around);
    this.#bases.set(node, base);
    each(node);
    for (const [keyword, value] of Object.entries(node)) {
      if (DATA.includes(keyword)) continue;
      const isMap = MAPS.includes(keyword) && isObject(value);
      for (const inner of isMap ? Object.values(value) : [value]) this.#visit(inner, base, each);
    }
  }

  #name(node: JsonObject, around: string): string {
    const { $id, $ref, $anchor, $dynamicAnchor, $recursiveAnchor } = node;
    let base = around;
    if (typeof $id === 'string' && !(this.#draft === '7' && $ref !== undefined)) {
      const [document = '', anchor] = $id.split('#', 2);
      if (document !== '') base = new URL(document, around).href;
      if (document !== '') this.#note(base, node);
      if (anchor) this.#note(`${base}#${anchor}`, node);
    }
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === 'string') this.#note(`${base}#${anchor}`, node);
    }
    // What 2019-09 calls recursive is dynamic and has no name.
    const dynamic = $recursiveAnchor === true ? '' : $dynamicAnchor;
    if (typeof dynamic === 'string') this.#dynamic.set(`${base}#${dynamic}`, node);
    return base;
  }

  #note(name: string, node: JsonObject): void {
    const before = this.#named.get(name);
    if (before !== undefined && before !== node) throw new Error(`there are two schemas of the name "${name}"`);
    this.#named.set(name, node);
  }
}
