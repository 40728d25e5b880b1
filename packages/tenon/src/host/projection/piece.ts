import { toCanonicalJson } from '../../encoding/canonical-json.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { fits, fromText, isText, type Mend } from './mend.js';
import { add, addKeywordNotes, shorten } from './wording.js';

/** A schema as it is written for one provider, and what undoes it. */
export interface SchemaPiece {
  readonly schema: JsonObject;
  readonly mend?: Mend | undefined;
  /** `null` is a value that the server takes here. */
  readonly nullable?: boolean;
  /** Tells its values from those of other alternatives, where the schema does not. */
  readonly accepts?: ((value: unknown) => boolean) | undefined;
}

/** Whether a value was given by this piece, as far as can be told. */
export function acceptsValue({ accepts, schema }: SchemaPiece, value: unknown): boolean {
  return accepts ? accepts(value) : fits(schema, value);
}

/** A value that this provider's schemas cannot describe, asked for as JSON in a text. */
export function createTextPiece(node: JsonObject, kind: 'object' | 'any'): SchemaPiece {
  const { description: _, title: __, default: ___, ...rest } = node;
  const hint =
    Object.keys(rest).length > (kind === 'object' ? 1 : 0) ? ` of this JSON Schema: ${shorten(rest, 300)}` : '';
  const what = `Written as JSON text: ${kind === 'object' ? 'an object' : 'any value'}${hint}.`;
  const { description } = addKeywordNotes(node, Object.keys(node));
  const schema = { type: 'string', description: add(description, [what]) };
  return { schema, mend: fromText(kind), accepts: value => isText(kind, value) };
}

/** Lets `null` be given. */
export function allowNull(piece: SchemaPiece, openapi: boolean): SchemaPiece {
  const { schema, mend, accepts } = piece;
  const whole = {
    nullable: true,
    mend: mend && ((value: unknown) => (value === null ? null : mend(value))),
    accepts: accepts && ((value: unknown) => value === null || accepts(value)),
  };
  if (openapi) return { ...piece, ...whole, schema: nullableSchema(schema) };
  const { description, ...rest } = schema;
  const said = description === undefined ? {} : { description };
  if (Array.isArray(schema.anyOf)) return { ...piece, ...whole, schema: { ...schema, anyOf: [...schema.anyOf, NULL] } };
  if (schema.type === 'object' || schema.type === 'array')
    return { ...piece, ...whole, schema: { anyOf: [rest, NULL], ...said } };
  const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {};
  return { ...piece, ...whole, schema: { ...schema, type: [schema.type, 'null'].flat(), ...values } };
}

const NULL = { type: 'null' };

/** OpenAPI says it beside the type; where there is none because of alternatives, the first of them says it. */
function nullableSchema(schema: JsonObject): JsonObject {
  if (!Array.isArray(schema.anyOf)) return { ...schema, nullable: true };
  const [first, ...others] = schema.anyOf;
  return { ...schema, anyOf: [{ ...(first as JsonObject), nullable: true }, ...others] };
}

/** One of several. `anyOf` stands alone in OpenAPI, so the description goes to the first alternative. */
export function combinePieces(pieces: readonly SchemaPiece[], said: JsonObject, openapi: boolean): SchemaPiece {
  const different = new Map(pieces.map(piece => [toCanonicalJson(piece.schema), piece]));
  const [first, ...others] = different.values();
  if (first === undefined) return createTextPiece(said, 'any');
  if (others.length === 0) return { ...first, schema: { ...first.schema, ...beginning(said, first.schema) } };
  const schemas = [first, ...others].map(({ schema }) => schema);
  if (openapi) schemas[0] = { ...first.schema, ...beginning(said, first.schema) };
  const schema = openapi ? { anyOf: schemas } : { anyOf: schemas.flatMap(flat), ...said };
  // A text that is JSON is told from any other text first.
  const tried = [...pieces.filter(piece => piece.accepts), ...pieces.filter(piece => !piece.accepts)];
  const mend: Mend = value => {
    const taker = tried.find(piece => acceptsValue(piece, value));
    return taker?.mend ? taker.mend(value) : value;
  };
  const isMended = pieces.some(piece => piece.mend !== undefined);
  const accepts = (value: unknown) => pieces.some(piece => acceptsValue(piece, value));
  const nullable = pieces.some(piece => piece.nullable === true);
  return isMended ? { schema, mend, accepts, nullable } : { schema, nullable };
}

function beginning(said: JsonObject, { description }: JsonObject): JsonObject {
  const text = add(
    said.description,
    typeof description === 'string' && description !== said.description ? [description] : [],
  );
  return text === undefined ? {} : { description: text };
}

/** Alternatives of an alternative are alternatives. */
function flat(schema: JsonObject): JsonObject[] {
  const { anyOf, description: _, ...rest } = schema;
  return Array.isArray(anyOf) && Object.keys(rest).length === 0 ? anyOf.filter(isObject) : [schema];
}
