import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { r20250618 } from './2025-06-18.js';
import { chain, each, without } from './change.js';
import type { About } from './dialect.js';
import { revise } from './revision.js';

const noIcons = without('icons');

const noTasks = without('tasks');
const taskWords = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'notifications/tasks/status'];

/** https://modelcontextprotocol.io/specification/2025-11-25/changelog */
/**
 * Answers of servers that have only the two endpoints of HTTP+SSE to a first POST: 400, 404 and 405 by the specification,
 * 406 and 415 where something in front looks at `Accept` or `Content-Type` first.
 */
const TWO_ENDPOINT_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 406, 415]);

export const r20251125 = revise(r20250618, {
  revision: '2025-11-25',
  traits: { tasks: 'by-parameter' },
  http: { priming: true, fallback: status => TWO_ENDPOINT_STATUSES.has(status) },
  errors: { invalidArguments: 'result', urlElicitationRequired: -32042, unreadableId: undefined },
  client: { adds: taskWords },
  server: { adds: ['notifications/elicitation/complete', ...taskWords] },
  changes: [
    // Everything with a name has icons, and an implementation a description and a web site.
    {
      down: {
        parts: {
          tool: noIcons,
          resource: noIcons,
          template: noIcons,
          prompt: noIcons,
          content: noIcons,
          implementation: without('icons', 'description', 'websiteUrl'),
        },
      },
    },
    // Sampling has tools, and messages of several blocks.
    {
      down: {
        parts: { sampled: toolTalkToText },
        params: {
          'sampling/createMessage': chain(without('tools', 'toolChoice'), each('messages', bare), oneBlockEach),
        },
        result: { 'sampling/createMessage': chain(bare, oneBlock) },
      },
    },
    // Elicitation has a URL mode, defaults, titled choices and choices of several.
    {
      down: { params: { 'elicitation/create': simplerForm }, result: { 'elicitation/create': severalAsLine } },
      up: { result: { 'elicitation/create': severalAgain } },
    },
    // Sampling and elicitation have sub-capabilities.
    {
      down: { parts: { clientCapabilities: wholeCapabilities } },
      up: { parts: { clientCapabilities: formOnly } },
    },
    // Requests may become tasks.
    {
      down: {
        parts: { tool: without('execution'), clientCapabilities: noTasks, serverCapabilities: noTasks },
        params: { 'tools/call': without('task') },
      },
    },
  ],
});

function bare(message: JsonObject): JsonObject {
  return without('_meta')(message, {});
}

function toolTalkToText(block: JsonObject): JsonObject {
  if (block.type === 'tool_use')
    return { type: 'text', text: `[calls ${block.name} with ${JSON.stringify(block.input)}]` };
  if (block.type === 'tool_result') return { type: 'text', text: `[result: ${textOf(block.content)}]` };
  return block;
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return '';
  return content.map(block => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

/** A message of several blocks becomes several messages of the same role. */
function oneBlockEach(params: JsonObject): JsonObject {
  const messages = (params.messages as JsonObject[]).flatMap(message =>
    Array.isArray(message.content) ? message.content.map(content => ({ ...message, content })) : [message],
  );
  return { ...params, messages };
}

/** A reply has one block: several of text become one, else the first one that is not text counts. */
function oneBlock(result: JsonObject): JsonObject {
  const { content } = result;
  if (!Array.isArray(content)) return result;
  const telling = content.find(block => block.type !== 'text');
  return {
    ...result,
    content: content.length === 1 ? content[0] : (telling ?? { type: 'text', text: textOf(content) }),
  };
}

function simplerForm(params: JsonObject): JsonObject {
  const { mode: _, ...form } = params;
  const schema = form.requestedSchema;
  if (!isObject(schema) || !isObject(schema.properties)) return form;
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, simplerField(field as JsonObject)]),
  );
  return { ...form, requestedSchema: { ...without('$schema')(schema, {}), properties } };
}

function simplerField(field: JsonObject): JsonObject {
  const { default: initial, oneOf, ...rest } = field;
  if (field.type === 'array') return severalAsText(field);
  const kept = field.type === 'boolean' && initial !== undefined ? { ...rest, default: initial } : rest;
  if (!Array.isArray(oneOf)) return kept;
  return { ...kept, enum: oneOf.map(choice => choice.const), enumNames: oneOf.map(choice => choice.title) };
}

/** Several choices become a line of text: the nearest thing a form of simple fields can hold. */
function severalAsText({ title, description, items }: JsonObject): JsonObject {
  const all = choices(items as JsonObject).join(', ');
  const hint = `Any of: ${all}; separated by commas.`;
  return {
    type: 'string',
    ...(title === undefined ? {} : { title }),
    description: description === undefined ? hint : `${description} ${hint}`,
  };
}

function choices(items: JsonObject): string[] {
  if (Array.isArray(items.enum)) return items.enum;
  return Array.isArray(items.anyOf) ? items.anyOf.map(choice => choice.const) : [];
}

function severalAsLine(result: JsonObject): JsonObject {
  if (!isObject(result.content) || !Object.values(result.content).some(Array.isArray)) return result;
  const content = Object.entries(result.content).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return { ...result, content: Object.fromEntries(content) };
}

function severalAgain(result: JsonObject, { params }: About): JsonObject {
  const schema = params?.requestedSchema;
  if (!isObject(result.content) || !isObject(schema) || !isObject(schema.properties)) return result;
  const asked = schema.properties;
  const content = Object.entries(result.content).map(([name, value]) => {
    const several = (asked[name] as JsonObject | undefined)?.type === 'array' && typeof value === 'string';
    return [
      name,
      several
        ? value
            .split(',')
            .map(part => part.trim())
            .filter(Boolean)
        : value,
    ];
  });
  return { ...result, content: Object.fromEntries(content) };
}

function wholeCapabilities(capabilities: JsonObject): JsonObject {
  const { sampling, elicitation, ...rest } = capabilities;
  const urlOnly = isObject(elicitation) && elicitation.url !== undefined && elicitation.form === undefined;
  return { ...rest, ...(sampling ? { sampling: {} } : {}), ...(elicitation && !urlOnly ? { elicitation: {} } : {}) };
}

function formOnly(capabilities: JsonObject): JsonObject {
  const { elicitation, sampling } = capabilities;
  return {
    ...capabilities,
    ...(elicitation ? { elicitation: { form: {} } } : {}),
    ...(sampling ? { sampling: {} } : {}),
  };
}
