import { isObject } from '../../jsonrpc/message.js';
import type { ContentBlock } from '../../protocol/content.js';
import type {
  CreateMessageParams,
  SamplingContent,
  SamplingMessage,
  ToolUseContent,
} from '../../protocol/input-requests.js';
import type { Takes } from './model.js';

/** The blocks of a message, which may have one or a list of them. */
export function getBlocks({ content }: Pick<SamplingMessage, 'content'>): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

export function getToolUses(message: Pick<SamplingMessage, 'content'>): readonly ToolUseContent[] {
  return getBlocks(message).filter(block => block.type === 'tool_use');
}

/** How often the model has asked for tools and was answered: the rounds of the loop so far. */
export function countRounds({ messages }: CreateMessageParams): number {
  return messages.filter(message => message.role === 'assistant' && getToolUses(message).length > 0).length;
}

/** What a model must be able to take to be asked this. Images inside the result of a tool can be told of in words. */
export function getRequirements({ messages, tools }: CreateMessageParams): Takes {
  const types = new Set<string>(messages.flatMap(message => getBlocks(message).map(({ type }) => type)));
  return {
    images: types.has('image'),
    audio: types.has('audio'),
    tools: (tools?.length ?? 0) > 0 || types.has('tool_use') || types.has('tool_result'),
  };
}

/** Tokens of one image or sound, for estimates. Providers count between a hundred and a few thousand. */
const TOKENS_OF_MEDIA = 1_500;
const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens it takes to tell a model this: a quarter of its characters, and a flat sum for each image and sound. */
export function estimateTokens(value: unknown): number {
  let media = 0;
  const text = JSON.stringify(value, (_, each: unknown) => {
    if (!isObject(each) || (each.type !== 'image' && each.type !== 'audio')) return each;
    media += 1;
    return null;
  });
  return Math.ceil((text ?? '').length / CHARACTERS_PER_TOKEN) + media * TOKENS_OF_MEDIA;
}

/** A block of a tool's result in words, for models that take nothing else in that place. */
export function describeBlock(block: ContentBlock | SamplingContent): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} of type ${block.mimeType}, not shown]`;
    case 'resource_link':
      return `[resource ${block.title ?? block.name}: ${block.uri}]`;
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource of type ${block.resource.mimeType ?? 'unknown'}, not shown: ${block.resource.uri}]`;
    default:
      return `[${block.type}]`;
  }
}
