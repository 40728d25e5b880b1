import { stringifyJson } from '@tenon/base';
import type { ToolResultPart } from 'ai';
import type { CallToolResult, ContentBlock } from 'tenon';

type ToolOutput = ToolResultPart['output'];
type OutputPart = Extract<ToolOutput, { type: 'content' }>['value'][number];

/**
 * Converts the result of a tool to output for a model. Keeps text and images, and describes other blocks as text.
 *
 * Adds structured content only without text, because servers repeat it as text. A result with `isError` becomes an
 * error, which can only be text.
 */
export function toToolOutput({
  content,
  structuredContent,
  isError,
}: Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>): ToolOutput {
  // Some providers refuse empty texts.
  const blocks = content.filter(block => block.type !== 'text' || block.text !== '');
  const isRepeated = structuredContent === undefined || blocks.some(({ type }) => type === 'text');
  const structured = isRepeated ? [] : [stringifyJson(structuredContent)];
  const hasImages = blocks.some(block => getImage(block) !== undefined);
  if (isError || !hasImages) {
    const value = [...blocks.map(describeBlock), ...structured].join('\n');
    return { type: isError ? 'error-text' : 'text', value };
  }
  return { type: 'content', value: [...blocks.map(toOutputPart), ...structured.map(toTextPart)] };
}

function toOutputPart(block: ContentBlock): OutputPart {
  const image = getImage(block);
  if (image === undefined) return toTextPart(describeBlock(block));
  return { type: 'file', mediaType: image.mimeType, data: { type: 'data', data: image.data } };
}

function toTextPart(text: string): OutputPart {
  return { type: 'text', text };
}

/** Returns the image of a content block, which may be an embedded resource. */
function getImage(block: ContentBlock): { data: string; mimeType: string } | undefined {
  if (block.type === 'image') return block;
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  const { blob, mimeType } = block.resource;
  return mimeType && /^image\//i.test(mimeType) ? { data: blob, mimeType } : undefined;
}

/** Describes a content block as text, because most model providers accept only text and images in tool results. */
function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} of type ${block.mimeType}, not shown]`;
    case 'resource_link':
      return `[resource ${block.title ?? block.name}: ${block.uri}]`;
    default:
      return 'text' in block.resource
        ? block.resource.text
        : `[resource of type ${block.resource.mimeType ?? 'unknown'}, not shown: ${block.resource.uri}]`;
  }
}
