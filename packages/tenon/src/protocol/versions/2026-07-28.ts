import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { v20251125 } from './2025-11-25.js';
import { deriveVersion } from './define-version.js';
import type { TransformContext } from './dialect.js';
import { copyWithout, transformEach, without } from './message-transforms.js';
import { decodeTask, encodeTask, flattenTask, nestTask, withoutTasksExtension } from './task-transforms.js';

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';
const RESULT_FIELDS = ['resultType', 'ttlMs', 'cacheScope'];
const RESULT_FIELDS_AND_META = [...RESULT_FIELDS, '_meta'];
const withoutResultFields = without(...RESULT_FIELDS);
const RESULT = 'result';
/** Names a schema that has no name of its own, so that its references still find what they mean. */
const WRAPPED_ID = 'urn:tenon:result';
const extensionTransforms = { clientCapabilities: withoutTasksExtension, serverCapabilities: withoutTasksExtension };

/** https://modelcontextprotocol.io/specification/2026-07-28/changelog */
export const v20260728 = deriveVersion(v20251125, {
  protocolVersion: '2026-07-28',
  traits: { opening: 'per-request', inputRequests: 'by-retry', subscriptions: 'by-listen', tasks: 'by-extension' },
  http: { sessions: false, priming: false, mirrorHeaders: true, closeCancels: true },
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
    // Results state their type, their server and their lifetime.
    {
      encode: { result: { '*': removeResultFields } },
    },
    // Structured content is any JSON value.
    {
      encode: { parts: { tool: wrapSchema, sampled: wrapToolResult }, result: { 'tools/call': wrapStructuredContent } },
      decode: { parts: { tool: unwrapSchema }, result: { 'tools/call': unwrapStructuredContent } },
    },
    // Schemas are any JSON Schema 2020-12.
    {
      encode: { parts: { tool: replaceBooleanSchemas } },
    },
    // A result requests input, and a retry brings the answer.
    {
      encode: { params: { '*': without('inputResponses', 'requestState') } },
    },
    // An elicitation by URL has no id.
    {
      encode: { params: { 'elicitation/create': addElicitationId } },
    },
    // Below the first change, so that downwards a task's `ttlMs` has its other name before results lose theirs.
    // Tasks are an extension.
    {
      encode: {
        parts: extensionTransforms,
        params: { 'notifications/tasks/status': encodeTask },
        result: {
          'tools/call': nestTask,
          'tasks/get': encodeTask,
          'tasks/cancel': encodeTask,
          'tasks/list': transformEach('tasks', encodeTask),
        },
      },
      decode: {
        parts: extensionTransforms,
        params: { 'notifications/tasks/status': decodeTask },
        result: {
          'tools/call': flattenTask,
          'tasks/get': decodeTask,
          'tasks/cancel': decodeTask,
          'tasks/list': transformEach('tasks', decodeTask),
        },
      },
    },
  ],
});

/** A result as it was before. All results go through here: one copy is enough. */
function removeResultFields(result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  if (!isObject(meta) || !(SERVER_INFO in meta)) return withoutResultFields(result, {});
  const rest = copyWithout(meta, [SERVER_INFO]);
  if (Object.keys(rest).length === 0) return copyWithout(result, RESULT_FIELDS_AND_META);
  return { ...copyWithout(result, RESULT_FIELDS), _meta: rest };
}

/** A schema whose root is no object is put into one. An `$id` keeps its local references pointing into itself. */
function wrapSchema(tool: JsonObject): JsonObject {
  const { outputSchema } = tool;
  if (!isObject(outputSchema) || outputSchema.type === 'object') return tool;
  const { $schema, ...inner } = outputSchema;
  const wrapped = JSON.stringify(inner).includes('"$ref"') ? { $id: WRAPPED_ID, ...inner } : inner;
  const dialect = $schema === undefined ? {} : { $schema };
  return {
    ...tool,
    outputSchema: {
      ...dialect,
      type: 'object',
      properties: { [RESULT]: wrapped },
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
  const original = inner.$id === WRAPPED_ID ? without('$id')(inner, {}) : inner;
  return { ...tool, outputSchema: $schema === undefined ? original : { $schema, ...original } };
}

function isWrapped(content: unknown, { outputSchema }: TransformContext): boolean {
  return outputSchema ? outputSchema.type !== 'object' : !isObject(content);
}

function wrapStructuredContent(result: JsonObject, context: TransformContext): JsonObject {
  const { structuredContent } = result;
  if (structuredContent === undefined || !isWrapped(structuredContent, context)) return result;
  return { ...result, structuredContent: { [RESULT]: structuredContent } };
}

/** The result of a tool that a model used. */
function wrapToolResult(block: JsonObject): JsonObject {
  return block.type === 'tool_result' ? wrapStructuredContent(block, {}) : block;
}

function unwrapStructuredContent(result: JsonObject, context: TransformContext): JsonObject {
  const { structuredContent } = result;
  if (!isObject(structuredContent) || !(RESULT in structuredContent)) return result;
  if (!context.outputSchema || context.outputSchema.type === 'object') return result;
  return { ...result, structuredContent: structuredContent[RESULT] };
}

/** `true` and `false` are schemas since; before, each property's schema is an object. */
function replaceBooleanSchemas(tool: JsonObject): JsonObject {
  const converted = { ...tool };
  for (const name of ['inputSchema', 'outputSchema']) {
    const schema = converted[name];
    if (isObject(schema) && isObject(schema.properties))
      converted[name] = { ...schema, properties: toObjectSchemas(schema.properties) };
  }
  return converted;
}

function toObjectSchemas(properties: JsonObject): JsonObject {
  if (!Object.values(properties).some(schema => typeof schema === 'boolean')) return properties;
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      schema === true ? {} : schema === false ? { not: {} } : schema,
    ]),
  );
}

declare const crypto: { randomUUID(): string };

function addElicitationId(params: JsonObject): JsonObject {
  if (params.mode !== 'url' || params.elicitationId !== undefined) return params;
  return { ...params, elicitationId: crypto.randomUUID() };
}
