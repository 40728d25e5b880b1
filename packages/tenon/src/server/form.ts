import { TenonError } from '../jsonrpc/error.js';
import { isObject, type JsonObject } from '../jsonrpc/message.js';
import type { FormSchema } from '../model/asking.js';

const SAID = ['type', 'title', 'description', 'default'];
const FORMATS = ['email', 'uri', 'date', 'date-time'];

/** What a form can say of each kind of field. */
const kinds: { readonly [type: string]: readonly string[] } = {
  string: [...SAID, 'minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf'],
  number: [...SAID, 'minimum', 'maximum'],
  integer: [...SAID, 'minimum', 'maximum'],
  boolean: SAID,
  array: [...SAID, 'minItems', 'maxItems', 'items'],
};

/**
 * A form is a flat object of simple fields: what a schema says beyond that (a pattern, say) stays with the server, which
 * checks the answer. https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 *
 * @throws TenonError `handler/no-form` when there is a field that no form has.
 */
export function formOf(json: JsonObject): FormSchema {
  const { type, properties, required } = json;
  if (type !== 'object' || !isObject(properties)) throw noForm('a form is an object of simple fields');
  const fields = Object.entries(properties).map(([name, schema]) => [name, field(name, schema)]);
  return {
    type,
    properties: Object.fromEntries(fields),
    ...(required === undefined ? {} : { required }),
  } as FormSchema;
}

function field(name: string, schema: unknown): JsonObject {
  const kept = isObject(schema) ? kinds[String(schema.type)] : undefined;
  if (!isObject(schema) || kept === undefined || (schema.type === 'array' && !isChoices(schema.items))) {
    throw noForm(`"${name}" is no simple field`);
  }
  const said = Object.fromEntries(Object.entries(schema).filter(([key]) => kept.includes(key)));
  if (said.format !== undefined && !FORMATS.includes(String(said.format))) delete said.format;
  return schema.type === 'string' && typeof schema.const === 'string' ? { ...said, enum: [schema.const] } : said;
}

function isChoices(items: unknown): boolean {
  return isObject(items) && (Array.isArray(items.enum) || Array.isArray(items.anyOf));
}

function noForm(problem: string): TenonError {
  return new TenonError('handler/no-form', problem, {
    next: 'elicit with an object of strings, numbers, booleans, and choices of one or several',
  });
}
