import { decodePointerToken, isObject, type JsonObject, parseUrl, shorten } from '@tenon/base';
import type { Draft } from '../draft.js';
import { createBrokenSchemaError } from './broken-schema.js';
import { getKeywordShape } from './keyword-shapes.js';

/** A schema with its own identifier, and everything in it except other resources. */
export interface SchemaResource {
  readonly base: string;
  readonly root: unknown;
  readonly anchors: Map<string, unknown>;
  /** Anchors of `$dynamicAnchor`, and `''` for the root with `$recursiveAnchor`. */
  readonly dynamicAnchors: Map<string, unknown>;
}

/** The part of a document that a reference points to. */
export interface ReferenceTarget {
  readonly node: unknown;
  readonly resource: SchemaResource;
  /** The anchor or JSON Pointer of the reference. */
  readonly fragment: string;
}

/** Maximum length of a reference and of an identifier, in characters. Each one is resolved against an identifier. */
const MAX_REFERENCE = 2_000;

/** Address of a schema without `$id`. It is never shown. */
const UNNAMED = 'https://schema.invalid/';

/** The resources of one schema. Other documents are never fetched. */
export class SchemaDocument {
  readonly root: SchemaResource;
  readonly draft: Draft;
  /** True if the target of a reference depends on earlier references. */
  isDynamic = false;
  /** True if `unevaluatedProperties` or `unevaluatedItems` is used. */
  tracksEvaluated = false;
  readonly #resources = new Map<string, SchemaResource>();
  readonly #owners = new Map<object, SchemaResource>();

  /** Throws `schema/broken` for identifiers that are invalid URLs or are used twice. */
  constructor(json: JsonObject, draft: Draft) {
    this.draft = draft;
    const root = createResource(UNNAMED, json);
    this.#visit(json, root);
    this.root = this.#owners.get(json) ?? root;
    if (this.root === root) this.#resources.set(UNNAMED, root);
  }

  /** Returns the resource that contains a part. */
  getResource(node: unknown, outer: SchemaResource): SchemaResource {
    return this.#owners.get(node as object) ?? outer;
  }

  /**
   * Finds the target of a reference. Returns `undefined` when it is not in the document. Throws `schema/broken` for an
   * invalid URL.
   */
  resolve(reference: string, from: SchemaResource): ReferenceTarget | undefined {
    if (reference.length > MAX_REFERENCE) return undefined;
    const [document = '', fragment = ''] = reference.split('#', 2);
    const resource = document === '' ? from : this.#resources.get(resolveUri(document, from.base).href);
    if (resource === undefined) return undefined;
    if (fragment === '' || fragment.startsWith('/')) return this.#followPointer(fragment, resource);
    const anchor = decodePointerToken(fragment);
    const node = anchor === undefined ? undefined : resource.anchors.get(anchor);
    return node === undefined ? undefined : { node, resource, fragment };
  }

  #followPointer(fragment: string, start: SchemaResource): ReferenceTarget | undefined {
    let node = start.root;
    let resource = start;
    for (const token of fragment.split('/').slice(1)) {
      const key = decodePointerToken(token);
      if (typeof node !== 'object' || node === null || key === undefined || !Object.hasOwn(node, key)) return undefined;
      node = (node as JsonObject)[key];
      resource = this.getResource(node, resource);
    }
    return { node, resource, fragment };
  }

  #visit(node: unknown, outer: SchemaResource): void {
    if (!isObject(node)) return;
    const { $id, $anchor, $dynamicAnchor } = node;
    // Keywords beside `$ref` have no effect in draft-07.
    const isNamed = typeof $id === 'string' && !(this.draft === '7' && typeof node.$ref === 'string');
    const resource = isNamed ? this.#addIdentifier($id, node, outer) : outer;
    this.#owners.set(node, resource);
    for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') resource.anchors.set(anchor, node);
    if (typeof $dynamicAnchor === 'string') resource.dynamicAnchors.set($dynamicAnchor, node);
    if (node.$recursiveAnchor === true && resource.root === node) resource.dynamicAnchors.set('', node);
    this.isDynamic ||= node.$dynamicRef !== undefined || node.$recursiveRef !== undefined;
    this.tracksEvaluated ||= node.unevaluatedProperties !== undefined || node.unevaluatedItems !== undefined;
    for (const [keyword, value] of Object.entries(node)) {
      const shape = getKeywordShape(keyword);
      if (!shape?.isValid(value)) continue;
      for (const [, each] of shape.listSubschemas(value)) this.#visit(each, resource);
    }
  }

  /** Adds the identifier of an `$id`: a resource, or an anchor in draft-07. */
  #addIdentifier($id: string, node: JsonObject, outer: SchemaResource): SchemaResource {
    const url = resolveUri($id, outer.base);
    const anchor = url.hash.slice(1);
    if (anchor !== '') {
      outer.anchors.set(anchor, node);
      return outer;
    }
    url.hash = '';
    if (this.#resources.has(url.href))
      throw createBrokenSchemaError(`the identifier ${shorten(JSON.stringify($id))} is used twice`);
    const resource = createResource(url.href, node);
    this.#resources.set(url.href, resource);
    return resource;
  }
}

/** Returns a reference for messages, with the base of its resource if that has an identifier. */
export function describeReference(reference: string, { base }: SchemaResource): string {
  const written = base.startsWith(UNNAMED) ? reference : resolveUri(reference, base).href;
  return written.replace(/#$/, '');
}

function createResource(base: string, root: unknown): SchemaResource {
  return { base, root, anchors: new Map(), dynamicAnchors: new Map() };
}

function resolveUri(reference: string, base: string): URL {
  const url = parseUrl(reference.slice(0, MAX_REFERENCE + 1), base);
  if (!url) throw createBrokenSchemaError('its identifiers or references are invalid');
  if (reference.length > MAX_REFERENCE || url.href.length > MAX_REFERENCE)
    throw createBrokenSchemaError(`it has an identifier or reference of more than ${MAX_REFERENCE} characters`);
  return url;
}
