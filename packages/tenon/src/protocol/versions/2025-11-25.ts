import { isObject, type JsonObject, stringifyJson } from '@tenon/base';
import { v20250618 } from './2025-06-18.js';
import { deriveVersion } from './define-version.js';
import type { TransformContext } from './dialect.js';
import { chain, transformEach, without } from './message-transforms.js';

const withoutIcons = without('icons');

const withoutTasks = without('tasks');
const taskMethods = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'notifications/tasks/status'];

/**
 * The changes of protocol version 2025-11-25.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/changelog
 */
/**
 * Statuses that servers with only the two endpoints of HTTP+SSE return for a first POST. The specification names 400,
 * 404 and 405. Proxies that check `Accept` or `Content-Type` first return 406 and 415.
 */
const TWO_ENDPOINT_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 415]);

export const v20251125 = deriveVersion(v20250618, {
  protocolVersion: '2025-11-25',
  traits: { tasks: 'by-parameter' },
  http: { priming: true, isFallbackStatus: status => TWO_ENDPOINT_STATUSES.has(status) },
  errors: { invalidArguments: 'result', urlElicitationRequired: -32042, unreadableId: undefined },
  client: { adds: taskMethods },
  server: { adds: ['notifications/elicitation/complete', ...taskMethods] },
  changes: [
    // Adds icons to all items with a name, and a description and a web site to implementations.
    {
      encode: {
        parts: {
          tool: withoutIcons,
          resource: withoutIcons,
          template: withoutIcons,
          prompt: withoutIcons,
          content: withoutIcons,
          implementation: without('icons', 'description', 'websiteUrl'),
        },
      },
    },
    // Adds tools to sampling, and messages with several blocks.
    {
      encode: {
        parts: { sampled: replaceToolContent },
        params: {
          'sampling/createMessage': chain(
            without('tools', 'toolChoice'),
            transformEach('messages', withoutMeta),
            splitMessages,
          ),
        },
        result: { 'sampling/createMessage': chain(withoutMeta, mergeBlocks) },
      },
    },
    // Adds URL mode, defaults, titled choices and multiple choices to elicitation.
    {
      encode: { params: { 'elicitation/create': simplifyForm }, result: { 'elicitation/create': joinSelections } },
      decode: { result: { 'elicitation/create': splitSelections } },
    },
    // Adds sub-capabilities of sampling and elicitation.
    {
      encode: { parts: { clientCapabilities: removeSubCapabilities } },
      decode: { parts: { clientCapabilities: addFormCapability } },
    },
    // Adds tasks, which requests create by a parameter.
    {
      encode: {
        parts: { tool: without('execution'), clientCapabilities: withoutTasks, serverCapabilities: withoutTasks },
        params: { 'tools/call': without('task') },
      },
    },
  ],
});

function withoutMeta(message: JsonObject): JsonObject {
  return without('_meta')(message, {});
}

function replaceToolContent(block: JsonObject): JsonObject {
  if (block.type === 'tool_use')
    return { type: 'text', text: `[calls ${block.name} with ${stringifyJson(block.input)}]` };
  if (block.type === 'tool_result') return { type: 'text', text: `[result: ${toText(block.content)}]` };
  return block;
}

function toText(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** Splits a message with several blocks into several messages of the same role. */
function splitMessages(params: JsonObject): JsonObject {
  const messages = (params.messages as JsonObject[]).flatMap(message =>
    Array.isArray(message.content) ? message.content.map(content => ({ ...message, content })) : [message],
  );
  return { ...params, messages };
}

/**
 * Merges the blocks of a reply into one. Text blocks become one text; otherwise the first block that is not text is
 * kept.
 */
function mergeBlocks(result: JsonObject): JsonObject {
  const { content } = result;
  if (!Array.isArray(content)) return result;
  const nonText = content.find(block => block.type !== 'text');
  return {
    ...result,
    content: content.length === 1 ? content[0] : (nonText ?? { type: 'text', text: toText(content) }),
  };
}

function simplifyForm(params: JsonObject): JsonObject {
  const { mode: _, ...form } = params;
  const schema = form.requestedSchema;
  if (!isObject(schema) || !isObject(schema.properties)) return form;
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, simplifyField(field as JsonObject)]),
  );
  return { ...form, requestedSchema: { ...without('$schema')(schema, {}), properties } };
}

function simplifyField(field: JsonObject): JsonObject {
  const { default: initial, oneOf, ...rest } = field;
  if (field.type === 'array') return replaceMultiSelect(field);
  const simplified = field.type === 'boolean' && initial !== undefined ? { ...rest, default: initial } : rest;
  if (!Array.isArray(oneOf)) return simplified;
  return { ...simplified, enum: oneOf.map(choice => choice.const), enumNames: oneOf.map(choice => choice.title) };
}

/** Replaces a multiple choice by a line of text, which is the nearest simple field. */
function replaceMultiSelect({ title, description, items }: JsonObject): JsonObject {
  const { enum: values, anyOf } = items as JsonObject;
  const choices = Array.isArray(anyOf) ? anyOf.map(choice => choice.const) : [];
  const options: string[] = Array.isArray(values) ? values : choices;
  const hint = `Any of: ${options.join(', ')}; separated by commas.`;
  return {
    type: 'string',
    ...(title === undefined ? {} : { title }),
    description: description === undefined ? hint : `${description} ${hint}`,
  };
}

function joinSelections(result: JsonObject): JsonObject {
  if (!isObject(result.content) || !Object.values(result.content).some(Array.isArray)) return result;
  const content = Object.entries(result.content).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return { ...result, content: Object.fromEntries(content) };
}

function splitSelections(result: JsonObject, { params }: TransformContext): JsonObject {
  const schema = params?.requestedSchema;
  if (!isObject(result.content) || !isObject(schema) || !isObject(schema.properties)) return result;
  const fields = schema.properties;
  const content = Object.entries(result.content).map(([name, value]) => {
    const isMultiSelect = (fields[name] as JsonObject | undefined)?.type === 'array' && typeof value === 'string';
    return [
      name,
      isMultiSelect
        ? value
            .split(',')
            .map(part => part.trim())
            .filter(Boolean)
        : value,
    ];
  });
  return { ...result, content: Object.fromEntries(content) };
}

function removeSubCapabilities(capabilities: JsonObject): JsonObject {
  const { sampling, elicitation, ...rest } = capabilities;
  const urlOnly = isObject(elicitation) && elicitation.url !== undefined && elicitation.form === undefined;
  return { ...rest, ...(sampling ? { sampling: {} } : {}), ...(elicitation && !urlOnly ? { elicitation: {} } : {}) };
}

function addFormCapability(capabilities: JsonObject): JsonObject {
  const { elicitation, sampling } = capabilities;
  return {
    ...capabilities,
    ...(elicitation ? { elicitation: { form: {} } } : {}),
    ...(sampling ? { sampling: {} } : {}),
  };
}
