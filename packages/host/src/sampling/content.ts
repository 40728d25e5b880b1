import { isObject } from '@tenon/base';
import type { CreateMessageParams, SamplingContent, SamplingMessage } from 'tenon';
import type { ToolUseContent } from 'tenon/host-internals';
import type { ModelInputs } from './model.js';

/** Returns the blocks of a message as a list. */
export function getBlocks({ content }: Pick<SamplingMessage, 'content'>): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

export function getToolUses(message: Pick<SamplingMessage, 'content'>): readonly ToolUseContent[] {
  return getBlocks(message).filter(block => block.type === 'tool_use');
}

/** Counts the rounds of tool use so far: messages in which the model used tools. */
export function countRounds({ messages }: CreateMessageParams): number {
  return messages.filter(message => message.role === 'assistant' && getToolUses(message).length > 0).length;
}

/**
 * Returns the content types that a model must support for this request. Images in tool results do not count, because a
 * text can replace them.
 */
export function getRequirements({ messages, tools }: CreateMessageParams): ModelInputs {
  const types = new Set<string>(messages.flatMap(message => getBlocks(message).map(({ type }) => type)));
  return {
    images: types.has('image'),
    audio: types.has('audio'),
    tools: (tools?.length ?? 0) > 0 || types.has('tool_use') || types.has('tool_result'),
  };
}

/** Estimated tokens of one image or sound. Providers count between a hundred and a few thousand. */
const TOKENS_OF_MEDIA = 1_500;
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the tokens of a value: a quarter of its characters, and a fixed number for each image and sound. */
export function estimateRequestTokens(value: unknown): number {
  let media = 0;
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (!isObject(each) || (each.type !== 'image' && each.type !== 'audio')) return each;
    media += 1;
    return null;
  });
  return Math.ceil((text ?? '').length / CHARACTERS_PER_TOKEN) + media * TOKENS_OF_MEDIA;
}
