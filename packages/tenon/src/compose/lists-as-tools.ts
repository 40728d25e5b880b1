import { INVALID_PARAMS, isObject, type JsonObject, TenonError } from '@tenon/base';
import type { Context } from '../handler/context.js';
import { toolError, toolResult } from '../handler/tool-result.js';
import type { ContentBlock, ResourceContents } from '../protocol/content.js';
import { RESOURCE_NOT_FOUND } from '../protocol/error-codes.js';
import type { MethodName, ParamsOf } from '../protocol/method-types.js';
import { isInputRequired } from '../protocol/methods.js';
import { tool } from '../server/definitions/tool.js';
import { createServer } from '../server/server.js';
import { version } from '../version.js';
import { mount } from './mount.js';
import { runAtOuter } from './run-mounted.js';

const annotations = { readOnlyHint: true, openWorldHint: false };
const text = { type: 'string' } as const;
const objects = { type: 'array', items: { type: 'object' } } as const;

/** Arguments of the tools that list. */
const page = {
  type: 'object',
  properties: { cursor: { ...text, description: 'nextCursor of the page before. Leave it out for the first page.' } },
} as const;

const listResources = tool({
  description:
    'Lists the resources of this server, and on the first page its URI templates. Read one with the tool resources_read.',
  annotations,
  input: page,
  output: {
    type: 'object',
    properties: { resources: objects, resourceTemplates: objects, nextCursor: text },
    required: ['resources', 'resourceTemplates'],
  } as const,
  run: async ({ cursor }, context) => {
    const listed = await runAtOuter(context, 'resources/list', { cursor });
    const { resourceTemplates } = cursor === undefined ? await listTemplates(context) : { resourceTemplates: [] };
    return { ...toPage('resources', listed), resourceTemplates };
  },
});

/** Lists all templates: they have pages of their own, but are few. */
async function listTemplates(context: Context): Promise<{ resourceTemplates: JsonObject[] }> {
  const resourceTemplates: JsonObject[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_TEMPLATE_PAGES; pages++) {
    const listed = toPage('resourceTemplates', await runAtOuter(context, 'resources/templates/list', { cursor }));
    resourceTemplates.push(...listed.resourceTemplates);
    cursor = listed.nextCursor;
    if (cursor === undefined) break;
  }
  return { resourceTemplates };
}

const MAX_TEMPLATE_PAGES = 10;

const readResource = tool({
  description: 'Reads a resource of this server. The tool resources_list has the URIs.',
  annotations,
  input: {
    type: 'object',
    properties: { uri: { ...text, description: 'URI of the resource, or of a URI template with its values' } },
    required: ['uri'],
  } as const,
  run: async ({ uri }, context) => {
    const result = await runForModel(context, 'resources/read', { uri });
    if (isInputRequired(result)) return result;
    return toolResult({ content: (result.contents as ResourceContents[]).map(toContentBlock) });
  },
});

/** Text, images and audio are blocks of their own, because many hosts do not show embedded resources to the model. */
function toContentBlock(resource: ResourceContents): ContentBlock {
  if ('text' in resource) return { type: 'text', text: resource.text };
  const { blob: data, mimeType = '' } = resource;
  if (mimeType.startsWith('image/')) return { type: 'image', data, mimeType };
  if (mimeType.startsWith('audio/')) return { type: 'audio', data, mimeType };
  return { type: 'resource', resource };
}

const listPrompts = tool({
  description:
    'Lists the prompts of this server with their arguments. Get the messages of one with the tool prompts_get.',
  annotations,
  input: page,
  output: { type: 'object', properties: { prompts: objects, nextCursor: text }, required: ['prompts'] } as const,
  run: async ({ cursor }, context) => toPage('prompts', await runAtOuter(context, 'prompts/list', { cursor })),
});

const getPrompt = tool({
  description: 'Returns the messages of a prompt of this server. The tool prompts_list has the names and arguments.',
  annotations,
  input: {
    type: 'object',
    properties: {
      name: { ...text, description: 'Name of the prompt' },
      arguments: { type: 'object', additionalProperties: text, description: 'Arguments of the prompt, by name' },
    },
    required: ['name'],
  } as const,
  output: {
    type: 'object',
    properties: { description: text, messages: objects },
    required: ['messages'],
  } as const,
  run: async ({ name, arguments: values }, context) => {
    const params = { name, ...(values === undefined ? {} : { arguments: values as Record<string, string> }) };
    const result = await runForModel(context, 'prompts/get', params);
    if (isInputRequired(result)) return result;
    const { description, messages } = result as { description?: string; messages: JsonObject[] };
    return { ...(description === undefined ? {} : { description }), messages };
  },
});

/** Runs a method of the outer server. The model sees the error of a wrong name, URI or argument. */
async function runForModel<M extends MethodName>(
  context: Context,
  method: M,
  params: ParamsOf<M>,
): Promise<JsonObject> {
  try {
    return await runAtOuter(context, method, params);
  } catch (error) {
    if (!TenonError.is(error) || !MODEL_ERRORS.has(error.rpcCode)) throw error;
    const uri = isObject(error.data) && typeof error.data.uri === 'string' ? `: ${error.data.uri}` : '';
    throw toolError(`${error.message}${uri}`, error);
  }
}

/** A wrong argument, and a resource that does not exist on versions before 2026-07-28. */
const MODEL_ERRORS: ReadonlySet<unknown> = new Set([INVALID_PARAMS, RESOURCE_NOT_FOUND]);

/** Reads a page of a list. Middleware may have replaced the result. */
function toPage<Member extends string>(member: Member, listed: JsonObject) {
  const { [member]: entries, nextCursor } = listed;
  return {
    [member]: Array.isArray(entries) ? entries.filter(isObject) : [],
    ...(typeof nextCursor === 'string' ? { nextCursor } : {}),
  } as { [M in Member]: JsonObject[] } & { nextCursor?: string };
}

/**
 * Offers the resources of a server as tools, for callers that know only tools: `resources_list` and `resources_read`, for
 * the option `mounts` of `createServer`.
 *
 * A call of a tool is a request of its caller for the resource: scopes, rate limits and middleware of `resources/list`
 * and `resources/read` hold. Resources of mounted servers are included.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */
export function resourcesAsTools() {
  const tools = { list: listResources, read: readResource };
  return mount('resources', createServer({ name: 'resources', version, tools }));
}

/**
 * Offers the prompts of a server as tools, for callers that know only tools: `prompts_list` and `prompts_get`, for the
 * option `mounts` of `createServer`.
 *
 * A call of a tool is a request of its caller for the prompt: scopes, rate limits and middleware of `prompts/list` and
 * `prompts/get` hold. Prompts of mounted servers are included.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
export function promptsAsTools() {
  const tools = { list: listPrompts, get: getPrompt };
  return mount('prompts', createServer({ name: 'prompts', version, tools }));
}
