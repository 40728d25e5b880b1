import {
  type Check,
  checkAbsoluteUrl,
  checkArray,
  checkEither,
  checkInteger,
  checkNumber,
  checkObject,
  checkOneOf,
  checkRecord,
  checkString,
  describeMismatch,
  isObject,
  prependPath,
  toJsonObject,
} from '@tenon/base';
import { checkContentBlock } from '../../protocol/methods.js';

/**
 * Checks of input requests that the handlers of the application get. They are loaded with the first input request,
 * because few servers request input.
 */

const toolUse = checkObject({ id: checkString, name: checkString, input: checkObject() });
const toolResult = checkObject({ toolUseId: checkString, content: checkArray(checkContentBlock) });

/** Checks a block of a message. The members of known kinds are checked; unknown kinds are accepted. */
const checkBlock: Check = value => {
  const { type } = toJsonObject(value);
  if (type === 'tool_use') return toolUse(value);
  return type === 'tool_result' ? toolResult(value) : checkContentBlock(value);
};

const sampling = checkObject({
  messages: checkArray(
    checkObject({
      role: checkOneOf('user', 'assistant'),
      content: value => (Array.isArray(value) ? checkArray(checkBlock) : checkBlock)(value),
    }),
  ),
  maxTokens: checkNumber,
  'systemPrompt?': checkString,
  'includeContext?': checkOneOf('none', 'thisServer', 'allServers'),
  'temperature?': checkNumber,
  'stopSequences?': checkArray(checkString),
  'metadata?': checkObject(),
  'modelPreferences?': checkObject({
    'hints?': checkArray(checkObject({ 'name?': checkString })),
    'costPriority?': checkNumber,
    'speedPriority?': checkNumber,
    'intelligencePriority?': checkNumber,
  }),
  'tools?': checkArray(checkObject({ name: checkString, inputSchema: checkObject() })),
  'toolChoice?': checkObject({ 'mode?': checkOneOf('auto', 'required', 'none') }),
});

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);
const NO_FIELD = describeMismatch('a text, a number, true or false, or a choice of texts', undefined, 'another schema');

/** Checks the schema of one field. A form shows only single values and choices, so that every client can show it. */
const checkField: Check = value => {
  if (!isObject(value)) return checkObject()(value);
  const issue = checkFieldMembers(value);
  if (issue !== undefined) return issue;
  const { type, items, anyOf, oneOf } = value;
  if (type === 'array') return isObject(items) && isScalar(items) ? undefined : prependPath('/items', NO_FIELD);
  return isScalar(value) || [anyOf, oneOf].some(each => Array.isArray(each) && each.every(isChoice))
    ? undefined
    : NO_FIELD;
};

const checkFieldMembers = checkObject({
  'title?': checkString,
  'description?': checkString,
  'enum?': checkArray(checkEither(checkString, checkNumber)),
  'enumNames?': checkArray(checkString),
  'minLength?': checkInteger,
  'maxLength?': checkInteger,
  'minItems?': checkInteger,
  'maxItems?': checkInteger,
});

const isScalar = (schema: { readonly [name: string]: unknown }): boolean => {
  const { type, anyOf, oneOf } = schema;
  if (SCALARS.has(type)) return schema.properties === undefined;
  // Many libraries write an optional field as a type, or as alternatives, with null.
  const types = Array.isArray(type) ? type.filter(each => each !== 'null') : [];
  if (types.length > 0 && types.every(each => SCALARS.has(each))) return schema.properties === undefined;
  const alternatives = anyOf ?? oneOf;
  return (
    type === undefined && (Array.isArray(schema.enum) || (Array.isArray(alternatives) && alternatives.every(isChoice)))
  );
};

/** Tells if a value is an alternative of a field: a titled choice, or the schema of a single value. */
const isChoice = (value: unknown): boolean =>
  isObject(value) && ('const' in value ? typeof value.const === 'string' : value.type === 'null' || isScalar(value));

const form = checkObject({
  message: checkString,
  requestedSchema: checkObject({
    type: checkOneOf('object'),
    properties: checkRecord(checkField),
    'required?': checkArray(checkString),
  }),
});

const urlMode = checkObject({ message: checkString, url: checkAbsoluteUrl, 'elicitationId?': checkString });
const mode = checkObject({ 'mode?': checkOneOf('form', 'url') });

/** Returns the issue of the params of an input request, in the form of the newest version. */
export function findInputRequestIssue(method: string, params: unknown): string | undefined {
  if (method === 'sampling/createMessage') return sampling(params);
  if (method !== 'elicitation/create') return undefined;
  const check = isObject(params) && params.mode === 'url' ? urlMode : form;
  return mode(params) ?? check(params);
}
