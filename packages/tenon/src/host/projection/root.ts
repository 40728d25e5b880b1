import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { Mend } from './mend.js';
import { fold, merge } from './merge.js';
import { describeRequirement, hasOnlyRequired } from './wording.js';

const NOT_AT_ROOT = ['enum', 'const', 'not'] as const;
const WRAPPER = 'arguments';

/** The root of the arguments, as all providers want it: an object, and no choice between several. */
export interface SchemaRoot {
  readonly schema: JsonObject;
  readonly mend?: Mend;
  /** What is said in the description of the tool instead. */
  readonly notes: readonly string[];
}

/**
 * Makes the root an object without alternatives. Alternatives that only say what must be given become a sentence; others
 * stand whole under one property, which is taken away again from the arguments.
 */
export function createRoot(plain: JsonObject): SchemaRoot | { readonly unfit: string } {
  let schema = fold(plain);
  if (schema.type !== undefined && ![schema.type].flat().includes('object')) {
    return { unfit: 'its input schema takes no object, and arguments are one' };
  }
  const notes: string[] = [];
  for (const keyword of NOT_AT_ROOT) {
    if (schema[keyword] === undefined) continue;
    schema = without(schema, keyword);
    notes.push('The server checks further conditions.');
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const branches = [schema[keyword] ?? []].flat().filter(isObject).map(fold);
    if (branches.length === 0) continue;
    if (branches.length === 1) return annotated(createRoot(merge(without(schema, keyword), branches[0] ?? {})), notes);
    if (!branches.every(hasOnlyRequired)) return wrapSchema({ ...schema, type: 'object' }, notes);
    schema = without(schema, keyword);
    notes.push(describeRequirement(branches, keyword === 'oneOf'));
  }
  const properties = isObject(schema.properties) ? schema.properties : {};
  return { schema: { ...schema, type: 'object', properties: withRequired(schema, properties) }, notes };
}

function annotated(
  root: SchemaRoot | { readonly unfit: string },
  notes: readonly string[],
): SchemaRoot | { readonly unfit: string } {
  return 'unfit' in root ? root : { ...root, notes: [...notes, ...root.notes] };
}

/** Puts a schema under the one property of an object. A model that leaves the property out is understood as well. */
export function wrapSchema(schema: JsonObject, notes: readonly string[] = []): SchemaRoot {
  const name = freeName(schema);
  const mend: Mend = args => {
    const isWrapped = isObject(args) && Object.keys(args).length === 1 && Object.hasOwn(args, name);
    return isWrapped ? args[name] : args;
  };
  const properties = { [name]: schema };
  return { schema: { type: 'object', properties, required: [name], additionalProperties: false }, mend, notes };
}

/** What is required is named among the properties: some providers refuse the request otherwise. */
export function withRequired(schema: JsonObject, properties: JsonObject): JsonObject {
  const missing = [schema.required ?? []].flat().filter(key => !Object.hasOwn(properties, String(key)));
  return Object.fromEntries([...Object.entries(properties), ...missing.map(key => [String(key), {}] as const)]);
}

function freeName(schema: JsonObject): string {
  const parts = [schema, ...[schema.anyOf ?? [], schema.oneOf ?? []].flat(2).filter(isObject).map(fold)];
  let name = WRAPPER;
  while (parts.some(({ properties }) => isObject(properties) && Object.hasOwn(properties, name))) name += '_';
  return name;
}

function without(schema: JsonObject, keyword: string): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([each]) => each !== keyword));
}
