import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { AudioContent, ImageContent } from '../../protocol/content.js';
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

declare const crypto: { randomUUID(): string };

const BASE = 'https://generativelanguage.googleapis.com/v1beta';
/** The API refuses more stop sequences than these. */
const MAX_STOPS = 5;
/** The signature of a tool use stands in its `_meta`: it has to come back with the use, and servers give `_meta` back. */
const SIGNATURE = 'dev.google.ai/thoughtSignature';
/** What the API takes for a use that has none: another model's, say. */
const NO_SIGNATURE = 'skip_thought_signature_validator';
const WITHOUT_SIGNATURES = /gemini-[12]\b/;

/** A model behind `generateContent` of Gemini. Takes images, audio and tools. https://ai.google.dev/api/generate-content */
export function geminiModel(options: AdapterOptions): Model {
  const face = createModelInfo(options, { images: true, audio: true, tools: true });
  return {
    ...face,
    async generate(request, { signal, spent }) {
      const names = createToolNames(request);
      const reply = await askProvider(options, {
        peer: face.name,
        base: options.url ?? BASE,
        path: `/models/${encodeURIComponent(options.model)}:generateContent`,
        authorize: key => ({ 'x-goog-api-key': key }),
        body: bodyOf(request, options, names),
        signal,
      });
      if (isObject(reply.usageMetadata)) spent?.(toNumber(reply.usageMetadata.totalTokenCount));
      return read(reply, names, face.name);
    },
  };
}

const MODES = { auto: 'AUTO', required: 'ANY', none: 'NONE' } as const;

function bodyOf(request: CreateMessageParams, options: AdapterOptions, names: ToolNames): JsonObject {
  const { systemPrompt, maxTokens, messages, tools = [], toolChoice: { mode = 'auto' } = {} } = request;
  const { temperature, stopSequences } = getTuning(request, options);
  const called = new Map(messages.flatMap(getToolUses).map(({ id, name }) => [id, names.outer(name)]));
  const signs = !WITHOUT_SIGNATURES.test(options.model);
  return {
    contents: messages.map(message => ({
      role: message.role === 'assistant' ? 'model' : 'user',
      parts: partsOf(message, names, called, signs),
    })),
    ...(systemPrompt ? { systemInstruction: { parts: [{ text: systemPrompt }] } } : {}),
    generationConfig: {
      maxOutputTokens: maxTokens,
      ...(temperature === undefined ? {} : { temperature }),
      ...(stopSequences ? { stopSequences: stopSequences.slice(0, MAX_STOPS) } : {}),
    },
    ...(tools.length > 0
      ? {
          tools: [
            {
              functionDeclarations: tools.map(tool => ({
                name: names.outer(tool.name),
                description: tool.description ?? '',
                parametersJsonSchema: getInputSchema(tool),
              })),
            },
          ],
          toolConfig: { functionCallingConfig: { mode: MODES[mode] } },
        }
      : {}),
  };
}

type Called = ReadonlyMap<string, string>;

/** Only the first use of a message needs a signature. */
function partsOf(message: SamplingMessage, names: ToolNames, called: Called, signs: boolean): JsonObject[] {
  const [first] = getToolUses(message);
  return getBlocks(message).flatMap(block => {
    switch (block.type) {
      case 'tool_use': {
        const signature = block._meta?.[SIGNATURE] ?? (signs && block === first ? NO_SIGNATURE : undefined);
        const functionCall = { id: block.id, name: names.outer(block.name), args: block.input };
        return [{ functionCall, ...(signature === undefined ? {} : { thoughtSignature: signature }) }];
      }
      case 'tool_result': {
        const { toolUseId: id, content, isError } = block;
        const words = content.map(describeBlock).join('\n');
        const response = isError ? { error: words } : { output: words };
        const media = content.filter(each => each.type === 'image' || each.type === 'audio');
        return [{ functionResponse: { id, name: called.get(id) ?? id, response } }, ...media.map(inline)];
      }
      case 'image':
      case 'audio':
        return [inline(block)];
      default:
        return [{ text: block.text }];
    }
  });
}

function inline({ mimeType, data }: ImageContent | AudioContent): JsonObject {
  return { inlineData: { mimeType, data } };
}

const STOPPED: { readonly [reason: string]: string | undefined } = { STOP: 'endTurn', MAX_TOKENS: 'maxTokens' };

function read(
  { candidates, promptFeedback, modelVersion }: JsonObject,
  names: ToolNames,
  peer: string,
): CreateMessageResult {
  const [candidate] = filterObjects(candidates);
  const blocked = isObject(promptFeedback) ? promptFeedback.blockReason : undefined;
  if (candidate === undefined)
    throw createBadResponseError(
      peer,
      typeof blocked === 'string' ? `it refuses the prompt (${blocked.slice(0, 60)})` : 'it is empty',
    );
  const { finishReason, content } = candidate;
  const reason = typeof finishReason === 'string' ? finishReason : undefined;
  const parts = isObject(content) ? filterObjects(content.parts) : [];
  const blocks = parts.flatMap(part => blockIn(part, names));
  if (blocks.length === 0 && reason !== 'STOP' && reason !== 'MAX_TOKENS')
    throw createBadResponseError(peer, `it ended for the reason ${reason?.slice(0, 60) ?? '(none)'}`);
  const used = blocks.some(({ type }) => type === 'tool_use');
  return createResult(blocks, modelVersion, peer, used ? 'toolUse' : reason && (STOPPED[reason] ?? reason));
}

/** Thoughts of the model stay with it. */
function blockIn(part: JsonObject, names: ToolNames): SamplingContent[] {
  const { text, thought, functionCall, inlineData, thoughtSignature } = part;
  if (thought === true) return [];
  if (typeof text === 'string') return text === '' ? [] : [{ type: 'text', text }];
  if (isObject(inlineData)) return mediaIn(inlineData);
  if (!isObject(functionCall) || typeof functionCall.name !== 'string') return [];
  const { id, name, args } = functionCall;
  return [
    {
      type: 'tool_use',
      id: typeof id === 'string' && id !== '' ? id : `call_${crypto.randomUUID()}`,
      name: names.inner(name as string),
      input: isObject(args) ? args : {},
      ...(typeof thoughtSignature === 'string' ? { _meta: { [SIGNATURE]: thoughtSignature } } : {}),
    },
  ];
}

function mediaIn({ mimeType, data }: JsonObject): SamplingContent[] {
  if (typeof mimeType !== 'string' || typeof data !== 'string') return [];
  const type = mimeType.startsWith('audio/') ? 'audio' : 'image';
  return [{ type, data, mimeType }];
}
