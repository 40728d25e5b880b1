import { copyWithout, isObject, type JsonObject, keepTextsIn } from '@tenon/base';
import { SERVER_INFO } from '../meta.js';
import { v20251125 } from './2025-11-25.js';
import { deriveVersion } from './define-version.js';
import type { TransformContext } from './dialect.js';
import { chain, transformEach, transformMember, without } from './message-transforms.js';
import { decodeTask, encodeTask, flattenTask, nestTask, withoutTasksExtension } from './task-transforms.js';

declare const crypto: { randomUUID(): string };

const RESULT_FIELDS = ['resultType', 'ttlMs', 'cacheScope'];
const RESULT_FIELDS_AND_META = [...RESULT_FIELDS, '_meta'];
const RESULT = 'result';
const STRUCTURED_CONTENT = 'structuredContent';
/** ID for a schema without its own, so that its references still resolve. */
const WRAPPED_ID = 'urn:tenon:result';
/** Replaces the schemas `true` and `false` of properties, because earlier versions allow only objects. */
const replaceBooleanSchemas = chain(
  ...['inputSchema', 'outputSchema'].map(name => transformMember(name, transformMember('properties', toObjectSchemas))),
);
const extensionTransforms = { clientCapabilities: withoutTasksExtension, serverCapabilities: withoutTasksExtension };

/**
 * The changes of protocol version 2026-07-28.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/changelog
 */
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
    // Adds the type, the server and the lifetime to results.
    {
      encode: { result: { '*': removeResultFields } },
    },
    // Allows any JSON value as structured content.
    {
      encode: {
        parts: {
          tool: wrapSchema,
          sampled: block => (block.type === 'tool_result' ? wrapStructuredContent(block, {}) : block),
        },
        result: { 'tools/call': wrapStructuredContent },
      },
      decode: { parts: { tool: unwrapSchema }, result: { 'tools/call': unwrapStructuredContent } },
    },
    // Allows any JSON Schema 2020-12.
    {
      encode: { parts: { tool: replaceBooleanSchemas } },
    },
    // Adds input requests in results, which a retry answers.
    {
      encode: { params: { '*': without('inputResponses', 'requestState') } },
    },
    // Removes the ID of URL elicitations.
    {
      encode: {
        params: {
          'elicitation/create': params =>
            params.mode === 'url' && params.elicitationId === undefined
              ? { ...params, elicitationId: crypto.randomUUID() }
              : params,
        },
      },
    },
    // This change comes after the first one. When encoding, it first renames a task's `ttlMs`, and then the first
    // change removes that member from results.
    //     Replaces task parameters by the tasks extension.
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

/** Removes the new members of results. Every result passes this function, so it makes a single copy. */
function removeResultFields(result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  if (!isObject(meta) || !(SERVER_INFO in meta)) return copyWithout(result, RESULT_FIELDS);
  if (Object.keys(meta).length === 1) return copyWithout(result, RESULT_FIELDS_AND_META);
  return { ...copyWithout(result, RESULT_FIELDS), _meta: copyWithout(meta, [SERVER_INFO]) };
}

/** Wraps a schema whose root is not an object. An `$id` keeps its local references valid. */
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

function wrapStructuredContent(result: JsonObject, { outputSchema }: TransformContext): JsonObject {
  const { structuredContent } = result;
  if (structuredContent === undefined) return result;
  const isWrapped = outputSchema ? outputSchema.type !== 'object' : !isObject(structuredContent);
  if (!isWrapped) return result;
  return {
    ...result,
    structuredContent: keepTextsIn({ [RESULT]: structuredContent }, result, RESULT, STRUCTURED_CONTENT),
  };
}

function unwrapStructuredContent(result: JsonObject, context: TransformContext): JsonObject {
  const { structuredContent } = result;
  if (!isObject(structuredContent) || !(RESULT in structuredContent)) return result;
  if (!context.outputSchema || context.outputSchema.type === 'object') return result;
  const unwrapped = { ...result, structuredContent: structuredContent[RESULT] };
  return keepTextsIn(unwrapped, structuredContent, STRUCTURED_CONTENT, RESULT);
}

function toObjectSchemas(properties: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      schema === true ? {} : schema === false ? { not: {} } : schema,
    ]),
  );
}
