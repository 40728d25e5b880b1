import { isObject, type JsonObject } from '../jsonrpc/message.js';
import { r20251125 } from './2025-11-25.js';
import { copyWithout, each, without } from './change.js';
import type { About } from './dialect.js';
import { revise } from './revision.js';
import { flatTask, nestedTask, plainTask, taskInOurWords, withoutExtension } from './tasks.js';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const KIND = ['resultType', 'ttlMs', 'cacheScope'];
const KIND_AND_META = [...KIND, '_meta'];
const withoutKind = without(...KIND);
const RESULT = 'result';
/** Names a schema that has no name of its own, so that its references still find what they mean. */
const HELD = 'urn:tenon:result';
const noExtension = { clientCapabilities: withoutExtension, serverCapabilities: withoutExtension };

/** https://modelcontextprotocol.io/specification/2026-07-28/changelog */
export const r20260728 = revise(r20251125, {
  revision: '2026-07-28',
  traits: { opening: 'per-request', asking: 'by-retry', watching: 'by-listen', tasks: 'by-extension' },
  http: { sessions: false, priming: false, mirrors: true, closeCancels: true },
  errors: { resourceNotFound: -32602, missingCapability: -32021, urlElicitationRequired: undefined },
  client: {
    adds: ['server/discover', 'subscriptions/listen', 'tasks/update'],
    drops: [
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
      'notifications/initialized',
      'notifications/progress',
      'notifications/roots/list_changed',
      'tasks/result',
      'tasks/list',
      'notifications/tasks/status',
    ],
  },
  server: {
    adds: ['notifications/subscriptions/acknowledged', 'notifications/tasks'],
    drops: [
      'ping',
      'sampling/createMessage',
      'elicitation/create',
      'roots/list',
      'notifications/elicitation/complete',
      'tasks/get',
      'tasks/result',
      'tasks/list',
      'tasks/cancel',
      'notifications/tasks/status',
    ],
  },
  changes: [
    // Results say what type they are, who made them and how long they stay good.
    {
      down: { result: { '*': plain } },
    },
    // Structured content is any JSON value.
    {
      down: { parts: { tool: wrapSchema, sampled: wrapUsed }, result: { 'tools/call': wrap } },
      up: { parts: { tool: unwrapSchema }, result: { 'tools/call': unwrap } },
    },
    // Schemas are any JSON Schema 2020-12.
    {
      down: { parts: { tool: objectProperties } },
    },
    // Inputs are asked for by a result and answered by a retry.
    {
      down: { params: { '*': without('inputResponses', 'requestState') } },
    },
    // An elicitation by URL has no id.
    {
      down: { params: { 'elicitation/create': identified } },
    },
    // Below the first change, so that downwards a task's `ttlMs` has its other name before results lose theirs.
    // Tasks are an extension.
    {
      down: {
        parts: noExtension,
        params: { 'notifications/tasks/status': plainTask },
        result: {
          'tools/call': nestedTask,
          'tasks/get': plainTask,
          'tasks/cancel': plainTask,
          'tasks/list': each('tasks', plainTask),
        },
      },
      up: {
        parts: noExtension,
        params: { 'notifications/tasks/status': taskInOurWords },
        result: {
          'tools/call': flatTask,
          'tasks/get': taskInOurWords,
          'tasks/cancel': taskInOurWords,
          'tasks/list': each('tasks', taskInOurWords),
        },
      },
    },
  ],
});

/** A result as it was before. All results go through here: one copy is enough. */
function plain(result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  if (!isObject(meta) || !(SERVER_INFO in meta)) return withoutKind(result, {});
  const rest = copyWithout(meta, [SERVER_INFO]);
  if (Object.keys(rest).length === 0) return copyWithout(result, KIND_AND_META);
  return { ...copyWithout(result, KIND), _meta: rest };
}

/** A schema whose root is no object is put into one. An `$id` keeps its local references pointing into itself. */
function wrapSchema(tool: JsonObject): JsonObject {
  const { outputSchema } = tool;
  if (!isObject(outputSchema) || outputSchema.type === 'object') return tool;
  const { $schema, ...inner } = outputSchema;
  const held = JSON.stringify(inner).includes('"$ref"') ? { $id: HELD, ...inner } : inner;
  const dialect = $schema === undefined ? {} : { $schema };
  return {
    ...tool,
    outputSchema: {
      ...dialect,
      type: 'object',
      properties: { [RESULT]: held },
      required: [RESULT],
      'x-tenon-wrapped': true,
    },
  };
}

function unwrapSchema(tool: JsonObject): JsonObject {
  const { outputSchema } = tool;
  if (!isObject(outputSchema) || outputSchema['x-tenon-wrapped'] !== true) return tool;
  const inner = isObject(outputSchema.properties) ? outputSchema.properties[RESULT] : undefined;
  if (!isObject(inner)) return tool;
  const { $schema } = outputSchema;
  const own = inner.$id === HELD ? without('$id')(inner, {}) : inner;
  return { ...tool, outputSchema: $schema === undefined ? own : { $schema, ...own } };
}

function isWrapped(structured: unknown, { outputSchema }: About): boolean {
  return outputSchema ? outputSchema.type !== 'object' : !isObject(structured);
}

function wrap(result: JsonObject, about: About): JsonObject {
  const { structuredContent } = result;
  if (structuredContent === undefined || !isWrapped(structuredContent, about)) return result;
  return { ...result, structuredContent: { [RESULT]: structuredContent } };
}

/** The result of a tool that a model used. */
function wrapUsed(block: JsonObject): JsonObject {
  return block.type === 'tool_result' ? wrap(block, {}) : block;
}

function unwrap(result: JsonObject, about: About): JsonObject {
  const { structuredContent } = result;
  if (!isObject(structuredContent) || !(RESULT in structuredContent)) return result;
  if (!about.outputSchema || about.outputSchema.type === 'object') return result;
  return { ...result, structuredContent: structuredContent[RESULT] };
}

/** `true` and `false` are schemas since; before, each property's schema is an object. */
function objectProperties(tool: JsonObject): JsonObject {
  const shaped = { ...tool };
  for (const name of ['inputSchema', 'outputSchema']) {
    const schema = shaped[name];
    if (isObject(schema) && isObject(schema.properties))
      shaped[name] = { ...schema, properties: asObjects(schema.properties) };
  }
  return shaped;
}

function asObjects(properties: JsonObject): JsonObject {
  if (!Object.values(properties).some(schema => typeof schema === 'boolean')) return properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      schema === true ? {} : schema === false ? { not: {} } : schema,
    ]),
  );
}

declare const crypto: { randomUUID(): string };

function identified(params: JsonObject): JsonObject {
  if (params.mode !== 'url' || params.elicitationId !== undefined) return params;
  return { ...params, elicitationId: crypto.randomUUID() };
}
