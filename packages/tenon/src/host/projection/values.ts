import { toCanonicalJson } from '../../encoding/canonical-json.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { allowNull, createTextPiece, type SchemaPiece } from './piece.js';
import { addKeywordNotes, shorten } from './wording.js';

/** Values of one `enum`, and of all of a tool together, that a schema may list. */
const MAX_VALUES = 250;
const MAX_ALL_VALUES = 1_000;
const SIMPLE = ['string', 'number', 'integer', 'boolean'];

/** `enum` and `const`: values of one simple type as they are, others by texts that are turned back. */
export function createEnumPiece(
  values: readonly unknown[],
  node: JsonObject,
  counter: { values: number },
  openapi: boolean,
): SchemaPiece {
  const different = [...new Map(values.map(value => [toCanonicalJson(value), value])).values()];
  const others = different.filter(value => value !== null);
  const hasNull = others.length < different.length;
  if (others.length === 0 && !openapi)
    return { schema: { type: 'null', ...addKeywordNotes(node, []) }, nullable: true };
  const [type, ...more] = typesOf(others);
  const isUniform =
    more.length === 0 && type !== undefined && (openapi ? type === 'string' && !others.includes('') : true);
  counter.values += others.length;
  if (others.length > MAX_VALUES || counter.values > MAX_ALL_VALUES) {
    const said = addKeywordNotes(node, [], [`One of ${others.length} values: ${shorten(others, 300)}`]);
    const open = more.length === 0 && type !== undefined ? { schema: { type, ...said } } : createTextPiece(said, 'any');
    return hasNull ? allowNull(open, openapi) : open;
  }
  if (isUniform && others.length > 0) {
    const piece: SchemaPiece = { schema: { type, enum: others, ...addKeywordNotes(node, []) } };
    return hasNull ? allowNull(piece, openapi) : piece;
  }
  return byText(different, node);
}

/** A text is itself; other values, and texts that look like one of them, are their JSON. */
function byText(values: readonly unknown[], node: JsonObject): SchemaPiece {
  const written = new Set(values.flatMap(value => (typeof value === 'string' ? [] : [JSON.stringify(value)])));
  const texts = new Map<string, unknown>();
  for (const value of values) {
    let text = typeof value === 'string' && value !== '' && !written.has(value) ? value : JSON.stringify(value);
    while (texts.has(text)) text = JSON.stringify(text);
    texts.set(text, value);
  }
  const accepts = (value: unknown) => typeof value === 'string' && texts.has(value);
  return {
    schema: { type: 'string', enum: [...texts.keys()], ...addKeywordNotes(node, []) },
    mend: value => (typeof value === 'string' && texts.has(value) ? texts.get(value) : value),
    accepts,
  };
}

function typesOf(values: readonly unknown[]): (string | undefined)[] {
  const types = [...new Set(values.map(simpleType))];
  return types.includes('number') ? types.filter(type => type !== 'integer') : types;
}

function simpleType(value: unknown): string | undefined {
  if (Number.isInteger(value)) return 'integer';
  return SIMPLE.includes(typeof value) ? typeof value : undefined;
}
