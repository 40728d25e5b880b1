import { isObject } from '@tenon/base';
import type { ContentPart, FinishReason, ToolSet } from 'ai';
import type { CreateMessageResult, SamplingContent } from 'tenon';
import { createAnswerError } from './model-error.js';
import { toMeta } from './thought-signature.js';
import type { ToolNames } from './tool-names.js';

/** Part of a `generateText` result that becomes the result of a sampling request. */
interface GeneratedResult {
  readonly content: readonly ContentPart<ToolSet>[];
  readonly finishReason: FinishReason;
  readonly rawFinishReason: string | undefined;
  readonly response: { readonly modelId: string };
}

/**
 * Converts the result of a model to the result of a sampling request. Keeps text, images, audio and tool uses. Drops
 * reasoning and sources.
 *
 * @throws TenonError `model/answer` for an empty or incomplete response, and for tool arguments that are not a JSON
 * object.
 */
export function toSamplingResult(result: GeneratedResult, names: ToolNames, peer: string): CreateMessageResult {
  const { content, finishReason, rawFinishReason, response } = result;
  const blocks = content.flatMap(part => toBlocks(part, names, peer));
  if (blocks.length === 0 && finishReason !== 'stop' && finishReason !== 'length')
    throw createAnswerError(peer, `the answer is empty and ended with "${rawFinishReason ?? finishReason}"`);
  const otherFiles = content.flatMap(part => (part.type === 'file' ? [part.file.mediaType] : []));
  if (blocks.length === 0 && otherFiles.length > 0)
    throw createAnswerError(
      peer,
      `the answer has only files of the types ${otherFiles.join(', ')}, not text, images or audio`,
    );
  const [first = { type: 'text', text: '' }, ...others] = blocks;
  const usesTools = blocks.some(({ type }) => type === 'tool_use');
  return {
    role: 'assistant',
    content: others.length > 0 ? blocks : first,
    model: response.modelId,
    stopReason: usesTools ? 'toolUse' : toStopReason(finishReason, rawFinishReason),
  };
}

function toBlocks(part: ContentPart<ToolSet>, names: ToolNames, peer: string): SamplingContent[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'file': {
      const { base64: data, mediaType: mimeType } = part.file;
      const [type] = mimeType.toLowerCase().split('/');
      return type === 'image' || type === 'audio' ? [{ type, data, mimeType }] : [];
    }
    case 'tool-call':
      return part.providerExecuted ? [] : [toToolUse(part, names, peer)];
    default:
      return [];
  }
}

function toToolUse(
  { toolCallId, toolName, input, providerMetadata }: Extract<ContentPart<ToolSet>, { type: 'tool-call' }>,
  names: ToolNames,
  peer: string,
): SamplingContent {
  if (!isObject(input)) throw createAnswerError(peer, 'the arguments of a tool call are not a JSON object');
  const meta = toMeta(providerMetadata);
  const name = names.toOriginal(toolName) ?? toolName;
  return { type: 'tool_use', id: toolCallId, name, input, ...(meta ? { _meta: meta } : {}) };
}

function toStopReason(finishReason: FinishReason, rawFinishReason: string | undefined): string {
  switch (finishReason) {
    case 'stop':
      return rawFinishReason === 'stop_sequence' ? 'stopSequence' : 'endTurn';
    case 'length':
      return 'maxTokens';
    case 'tool-calls':
      return 'endTurn';
    default:
      return rawFinishReason ?? finishReason;
  }
}
