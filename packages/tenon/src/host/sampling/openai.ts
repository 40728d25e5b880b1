import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { AudioContent, ImageContent } from '../../protocol/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingContent,
  SamplingMessage,
  ToolResultContent,
  ToolUseContent,
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

const BASE = 'https://api.openai.com/v1';
/** The API refuses more stop sequences than these. */
const MAX_STOPS = 4;

export interface OpenaiOptions extends AdapterOptions {
  /** How `maxTokens` is said. Default: `max_completion_tokens` to OpenAI itself, `max_tokens` where a `url` is given. */
  readonly limitAs?: 'max_completion_tokens' | 'max_tokens' | undefined;
}

/**
 * A model behind chat completions: of OpenAI, or of any server that speaks them (vLLM, Ollama, llama.cpp, OpenRouter …),
 * by its `url`. Takes images and tools; `takes: { audio: true }` for models that hear.
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function openaiModel(options: OpenaiOptions): Model {
  const face = createModelInfo(options, { images: true, tools: true });
  return {
    ...face,
    async generate(request, { signal, spent }) {
      const names = createToolNames(request);
      const reply = await askProvider(options, {
        peer: face.name,
        base: options.url ?? BASE,
        path: '/chat/completions',
        authorize: key => ({ authorization: `Bearer ${key}` }),
        body: bodyOf(request, options, names, face.takes?.images === true),
        signal,
      });
      if (isObject(reply.usage)) spent?.(toNumber(reply.usage.total_tokens));
      return read(reply, names, face.name);
    },
  };
}

function bodyOf(request: CreateMessageParams, options: OpenaiOptions, names: ToolNames, sees: boolean): JsonObject {
  const { systemPrompt, maxTokens, tools = [], toolChoice: { mode = 'auto' } = {} } = request;
  const { temperature, stopSequences } = getTuning(request, options);
  const { limitAs = options.url === undefined ? 'max_completion_tokens' : 'max_tokens' } = options;
  return {
    model: options.model,
    messages: [
      ...(systemPrompt ? [{ role: 'system', content: systemPrompt }] : []),
      ...request.messages.flatMap(message => messagesOf(message, names, sees)),
    ],
    [limitAs]: maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences ? { stop: stopSequences.slice(0, MAX_STOPS) } : {}),
    ...(tools.length > 0
      ? {
          tools: tools.map(tool => ({
            type: 'function',
            function: {
              name: names.outer(tool.name),
              ...(tool.description ? { description: tool.description } : {}),
              parameters: getInputSchema(tool),
            },
          })),
          tool_choice: mode,
        }
      : {}),
  };
}

function messagesOf(message: SamplingMessage, names: ToolNames, sees: boolean): JsonObject[] {
  const blocks = getBlocks(message);
  const results = blocks.filter(block => block.type === 'tool_result');
  if (results.length > 0) return [...results.map(resultMessage), ...(sees ? picturesOf(results) : [])];
  if (message.role === 'user') return [{ role: 'user', content: blocks.map(partOf) }];
  const uses = getToolUses(message);
  const words = blocks
    .filter(block => block.type !== 'tool_use')
    .map(describeBlock)
    .join('\n');
  return [
    {
      role: 'assistant',
      content: words === '' && uses.length > 0 ? null : words,
      ...(uses.length > 0 ? { tool_calls: uses.map(use => callOf(use, names)) } : {}),
    },
  ];
}

function callOf({ id, name, input }: ToolUseContent, names: ToolNames): JsonObject {
  return { id, type: 'function', function: { name: names.outer(name), arguments: JSON.stringify(input) } };
}

/** There is no flag for errors: the model is told in words. */
function resultMessage({ toolUseId, content, isError }: ToolResultContent): JsonObject {
  const words = content.map(describeBlock).join('\n');
  return { role: 'tool', tool_call_id: toolUseId, content: isError ? `Error: ${words}` : words };
}

/** A tool message has text alone: what is to be seen of it is shown behind. */
function picturesOf(results: readonly ToolResultContent[]): JsonObject[] {
  const parts = results.flatMap(({ toolUseId, content }) => {
    const images = content.filter(block => block.type === 'image');
    return images.length > 0
      ? [{ type: 'text', text: `Images of tool call ${toolUseId}:` }, ...images.map(partOf)]
      : [];
  });
  return parts.length > 0 ? [{ role: 'user', content: parts }] : [];
}

function partOf(block: SamplingContent): JsonObject {
  if (block.type === 'image') return imagePart(block);
  if (block.type === 'audio') return audioPart(block);
  return { type: 'text', text: describeBlock(block) };
}

function imagePart({ mimeType, data }: ImageContent): JsonObject {
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } };
}

function audioPart({ mimeType, data }: AudioContent): JsonObject {
  return { type: 'input_audio', input_audio: { data, format: /mpeg|mp3/.test(mimeType) ? 'mp3' : 'wav' } };
}

const STOPPED: { readonly [reason: string]: string | undefined } = {
  stop: 'endTurn',
  length: 'maxTokens',
  tool_calls: 'toolUse',
  content_filter: 'refusal',
};

function read({ choices, model }: JsonObject, names: ToolNames, peer: string): CreateMessageResult {
  const [choice] = filterObjects(choices);
  const message = choice?.message;
  if (choice === undefined || !isObject(message)) throw createBadResponseError(peer, 'it has no message');
  const said = [message.content, message.refusal].filter(each => typeof each === 'string' && each !== '') as string[];
  const uses = filterObjects(message.tool_calls).map(call => useIn(call, names, peer));
  const { finish_reason } = choice;
  const reason = message.refusal ? 'refusal' : finish_reason;
  const stopReason = typeof reason === 'string' ? (STOPPED[reason] ?? reason) : undefined;
  const texts = said.map(text => ({ type: 'text' as const, text }));
  return createResult([...texts, ...uses], model, peer, stopReason);
}

function useIn({ id, function: called }: JsonObject, names: ToolNames, peer: string): ToolUseContent {
  if (typeof id !== 'string' || !isObject(called) || typeof called.name !== 'string')
    throw createBadResponseError(peer, 'a tool call lacks its id or function');
  return { type: 'tool_use', id, name: names.inner(called.name), input: argumentsIn(called.arguments, peer) };
}

function argumentsIn(text: unknown, peer: string): JsonObject {
  if (text === undefined || text === '') return {};
  try {
    const value: unknown = JSON.parse(String(text));
    if (isObject(value)) return value;
  } catch {}
  throw createBadResponseError(peer, 'the arguments of a tool call are no JSON object');
}
