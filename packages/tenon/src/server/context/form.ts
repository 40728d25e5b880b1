import {
  checkEither,
  checkFunction,
  checkObject,
  checkString,
  isObject,
  JsonCache,
  type JsonObject,
  requireArgument,
  requireKnownOptions,
  TenonError,
} from '@tenon/base';
import type { HandlerRun } from '../../execution/handler-run.js';
import type { FormAnswer } from '../../handler/context.js';
import type { FormSchema } from '../../protocol/input-requests.js';
import { toResult } from '../../protocol/methods.js';
import { compileSchema, describeIssues, type Validator } from '../../schemas/compile-schema.js';
import { toJsonSchema } from '../../schemas/json-schema.js';
import { type InferOutput, isStandardSchema, type Schema } from '../../schemas/standard.js';

// A schema of some libraries is a function.
const formOptions = checkObject({ message: checkString, input: checkEither(checkFunction, checkObject()) });

/**
 * Shows a form to the user and checks the answer. Rejects with `client/invalid-answer` when the answer does not match
 * the schema.
 */
export async function requestForm<const S extends Schema>(
  run: HandlerRun,
  options: { readonly message: string; readonly input: S },
): Promise<FormAnswer<InferOutput<S>>> {
  requireKnownOptions('ctx.elicit', options, { message: true, input: true });
  requireArgument('the argument of ctx.elicit', options, formOptions);
  const { message, input } = options;
  const form = isStandardSchema(input) ? compileForm(input) : preparedForms.get(toJsonSchema(input, 'input'));
  const { requestedSchema, validator } = form;
  const params = { message, requestedSchema };
  const result = toResult('elicitation/create', await run.request('elicitation/create', params));
  if (result.action !== 'accept') return { action: result.action };
  const checked = await validator.check(result.content ?? {});
  if (checked.ok) return { action: 'accept', content: checked.value as InferOutput<S> };
  throw new TenonError(
    'client/invalid-answer',
    `the answer does not match the form: ${describeIssues(checked.issues)}`,
  );
}

interface PreparedForm {
  readonly requestedSchema: FormSchema;
  readonly validator: Validator;
}

/** Prepared forms by JSON Schema. A handler often writes the schema inline, so each call has an equal new object. */
const preparedForms = new JsonCache<PreparedForm>(compileForm);

function compileForm(input: Schema): PreparedForm {
  return { requestedSchema: toFormSchema(toJsonSchema(input, 'input')), validator: compileSchema(input, 'input') };
}

const COMMON_KEYWORDS = ['type', 'title', 'description', 'default'];
const FORM_FORMATS = ['email', 'uri', 'date', 'date-time'];

/** Schema keywords that a form supports, by type of field. */
const FIELD_KEYWORDS: { readonly [type: string]: readonly string[] } = {
  string: [...COMMON_KEYWORDS, 'minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf'],
  number: [...COMMON_KEYWORDS, 'minimum', 'maximum'],
  integer: [...COMMON_KEYWORDS, 'minimum', 'maximum'],
  boolean: COMMON_KEYWORDS,
  array: [...COMMON_KEYWORDS, 'minItems', 'maxItems', 'items'],
};

/**
 * Converts a schema to a form, which is a flat object of simple fields. Other constraints, such as a pattern, are not
 * sent. The server checks them when it validates the answer.
 * @throws TenonError `handler/no-form` when forms do not support a field.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 */
export function toFormSchema(json: JsonObject): FormSchema {
  const { type, properties, required } = json;
  if (type !== 'object' || !isObject(properties))
    throw createFormError('the schema of a form must be an object with simple fields');
  const fields = Object.entries(properties).map(([name, schema]) => [name, toFormField(name, schema)]);
  return {
    type,
    properties: Object.fromEntries(fields),
    ...(required === undefined ? {} : { required }),
  } as FormSchema;
}

function toFormField(name: string, schema: unknown): JsonObject {
  const keywords = isObject(schema) ? FIELD_KEYWORDS[String(schema.type)] : undefined;
  const items = isObject(schema) ? schema.items : undefined;
  const hasChoices = isObject(items) && (Array.isArray(items.enum) || Array.isArray(items.anyOf));
  if (!isObject(schema) || keywords === undefined || (schema.type === 'array' && !hasChoices)) {
    throw createFormError(`the form field "${name}" has an unsupported type`);
  }
  const result = Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key)));
  if (result.format !== undefined && !FORM_FORMATS.includes(String(result.format))) delete result.format;
  return schema.type === 'string' && typeof schema.const === 'string' ? { ...result, enum: [schema.const] } : result;
}

function createFormError(summary: string): TenonError {
  return new TenonError('handler/no-form', summary, {
    hint: 'use an object of strings, numbers, booleans, enums and arrays of enums',
  });
}
