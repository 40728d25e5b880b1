import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { mapAcceptedNames } from './keys.js';
import { isBox, mendObject, type WrittenKey } from './mend.js';
import { acceptsValue, allowNull, createTextPiece, type SchemaPiece } from './piece.js';
import type { Rules, Subset } from './provider.js';
import { withRequired } from './root.js';
import { addKeywordNotes } from './wording.js';

/** An object for a provider that reads a subset. `write` writes the schema of a property. */
export function createObjectPiece(
  node: JsonObject,
  rules: Rules,
  subset: Subset,
  write: (node: JsonObject) => SchemaPiece,
): SchemaPiece {
  const given = withRequired(node, isObject(node.properties) ? node.properties : {});
  const properties = Object.entries(given).flatMap(([key, value]) =>
    isObject(value) && !isNever(value) ? [[key, value] as const] : [],
  );
  const isClosed = node.additionalProperties === false;
  if (properties.length === 0 && !(isClosed && subset.strict)) return createTextPiece(node, 'object');
  const outers = mapAcceptedNames(
    properties.map(([key]) => key),
    rules.keys,
  );
  const required = new Set([node.required ?? []].flat());
  const written: [string, JsonObject][] = [];
  const keys = new Map<string, WrittenKey>();
  const pieces = new Map<string, SchemaPiece>();
  for (const [inner, value] of properties) {
    const outer = outers.get(inner) ?? inner;
    const piece = write(value);
    const leftOut = subset.strict && !required.has(inner) ? optional(piece, value) : { piece, absent: undefined };
    written.push([outer, leftOut.piece.schema]);
    pieces.set(outer, leftOut.piece);
    keys.set(outer, { inner, mend: leftOut.piece.mend, absent: leftOut.absent });
  }
  const names = written.map(([outer]) => outer);
  const needed = subset.strict ? names : names.filter(outer => required.has(keys.get(outer)?.inner ?? outer));
  const schema = {
    type: 'object',
    properties: Object.fromEntries(written),
    ...(needed.length > 0 || subset.strict ? { required: needed } : {}),
    ...(subset.strict ? { additionalProperties: false } : {}),
    ...addKeywordNotes(node, []),
  };
  const accepts = (value: unknown) => {
    if (!isObject(value) || !needed.every(key => Object.hasOwn(value, key))) return false;
    return Object.entries(value).every(([key, each]) => acceptsValue(pieces.get(key) ?? ANYTHING, each));
  };
  return { schema, mend: mendObject(keys), accepts };
}

const ANYTHING: SchemaPiece = { schema: {} };

/**
 * A property that may be left out where all must be given: `null` leaves it out. Where the server takes `null` itself and
 * it means something else than leaving the property out, the value comes in a box.
 */
function optional(piece: SchemaPiece, node: JsonObject): { piece: SchemaPiece; absent: 'null' | 'null or box' } {
  if (piece.nullable !== true) return { piece: allowNull(piece, false), absent: 'null' };
  if (node.default === null) return { piece, absent: 'null' };
  const description = 'null leaves it out; {"value": null} sets it to null.';
  const box = { type: 'object', properties: { value: piece.schema }, required: ['value'], additionalProperties: false };
  const accepts = (value: unknown) => value === null || (isBox(value) && acceptsValue(piece, value.value));
  const boxed = { ...piece, accepts, schema: { anyOf: [box, { type: 'null' }], description } };
  return { piece: boxed, absent: 'null or box' };
}

/** Nothing can be given for such a property. */
export function isNever(node: JsonObject): boolean {
  return isObject(node.not) && Object.keys(node.not).length === 0;
}
