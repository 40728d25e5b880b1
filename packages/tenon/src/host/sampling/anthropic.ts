import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { ContentBlock, ImageContent, TextContent, Tool } from '../../protocol/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
} from '../../protocol/input-requests.js';
import {
  type AdapterOptions,
  createBadResponseError,
  createModelInfo,
  createResult,
  filterObjects,
  getInputSchema,
  getTuning,
  toNumber,
} from './adapter.js';
import { describeBlock, getBlocks, getToolUses } from './content.js';
import type { Model } from './model.js';
import { askProvider } from './provider-call.js';
import { createToolNames, type ToolNames } from './tool-names.js';

const BASE = 'https://api.anthropic.com/v1';
const VERSION = '2023-06-01';

/** A model behind the Messages API of Anthropic. Takes images and tools. https://platform.claude.com/docs/en/api/messages */
export function anthropicModel(options: AdapterOptions): Model {
  const face = createModelInfo(options, { images: true, tools: true });
  return {
    ...face,
    async generate(request, { signal, spent }) {
      const names = createToolNames(request);
      const reply = await askProvider(options, {
        peer: face.name,
        base: options.url ?? BASE,
        path: '/messages',
        authorize: key => ({ 'x-api-key': key, 'anthropic-version': VERSION }),
        body: bodyOf(request, options, names),
        signal,
      });
      const usage = isObject(reply.usage) ? reply.usage : undefined;
      if (usage) spent?.(USED.reduce((sum, name) => sum + toNumber(usage[name]), 0));
      return read(reply, names, face.name);
    },
  };
}

const USED = ['input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'];

function bodyOf(request: CreateMessageParams, options: AdapterOptions, names: ToolNames): JsonObject {
  const { systemPrompt, maxTokens } = request;
  const { tools, mode } = toolboxOf(request);
  const { temperature, stopSequences } = getTuning(request, options);
  return {
    model: options.model,
    max_tokens: maxTokens,
    messages: request.messages.flatMap(message => messageOf(message, names)),
    ...(systemPrompt ? { system: systemPrompt } : {}),
    ...(temperature === undefined ? {} : { temperature: Math.min(Math.max(temperature, 0), 1) }),
    ...(stopSequences ? { stop_sequences: stopSequences } : {}),
    ...(tools.length > 0
      ? {
          tools: tools.map(tool => ({
            name: names.outer(tool.name),
            ...(tool.description ? { description: tool.description } : {}),
            input_schema: getInputSchema(tool),
          })),
          tool_choice: { type: mode === 'required' ? 'any' : mode },
        }
      : {}),
  };
}

/** The API wants to know tools when there are uses of them in the conversation, though they be past. */
function toolboxOf({ tools = [], toolChoice: { mode = 'auto' } = {}, messages }: CreateMessageParams) {
  if (tools.length > 0) return { tools, mode };
  const used = new Set(messages.flatMap(getToolUses).map(({ name }) => name));
  return { tools: [...used].map((name): Tool => ({ name, inputSchema: { type: 'object' } })), mode: 'none' as const };
}

/** No message at all when nothing is left of it: the API refuses empty texts. */
function messageOf(message: SamplingMessage, names: ToolNames): JsonObject[] {
  const content = getBlocks(message).flatMap(block => blockOf(block, message.role, names));
  return content.length > 0 ? [{ role: message.role, content }] : [];
}

function blockOf(block: SamplingContent, role: string, names: ToolNames): JsonObject[] {
  switch (block.type) {
    case 'tool_use':
      return [{ type: 'tool_use', id: block.id, name: names.outer(block.name), input: block.input }];
    case 'tool_result':
      return [
        {
          type: 'tool_result',
          tool_use_id: block.toolUseId,
          content: block.content.flatMap(seen),
          ...(block.isError ? { is_error: true } : {}),
        },
      ];
    default:
      return role === 'user' ? seen(block) : text(describeBlock(block));
  }
}

/** Images as images, all else in words. */
function seen(block: ContentBlock): JsonObject[] {
  if (block.type === 'image') return [image(block)];
  return text(describeBlock(block));
}

function image({ mimeType, data }: ImageContent): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

function text(words: string): JsonObject[] {
  return words.trim() === '' ? [] : [{ type: 'text', text: words }];
}

const STOPPED: { readonly [reason: string]: string | undefined } = {
  end_turn: 'endTurn',
  stop_sequence: 'stopSequence',
  max_tokens: 'maxTokens',
  model_context_window_exceeded: 'maxTokens',
  tool_use: 'toolUse',
};

function read({ content, model, stop_reason }: JsonObject, names: ToolNames, peer: string): CreateMessageResult {
  if (!Array.isArray(content)) throw createBadResponseError(peer, 'it has no content');
  const blocks = filterObjects(content).flatMap(block => blockIn(block, names));
  const reason = typeof stop_reason === 'string' ? (STOPPED[stop_reason] ?? stop_reason) : undefined;
  return createResult(blocks, model, peer, reason);
}

/** Thoughts of the model stay with it. */
function blockIn({ type, text, id, name, input }: JsonObject, names: ToolNames): (SamplingContent & object)[] {
  if (type === 'text' && typeof text === 'string') return [{ type, text } satisfies TextContent];
  if (type !== 'tool_use' || typeof id !== 'string' || typeof name !== 'string') return [];
  return [{ type, id, name: names.inner(name), input: isObject(input) ? input : {} }];
}
