import type { ContentBlock } from '../../../protocol/content.js';

/**
 * Limits on the part of a result that a model sees. Sizes are characters (UTF-16 units): of a text itself, of the JSON
 * of all else.
 */
export interface OutputLimits {
  /** All content blocks together. Default 100,000. */
  readonly maxTotal: number;
  /** One text, or one text resource. Default 40,000. */
  readonly maxText: number;
  /**
   * One image, sound or binary resource, as base64. Default 2,000,000; they have this limit instead of `maxTotal`,
   * together.
   */
  readonly maxBinary: number;
  /** `structuredContent` of a tool without an `outputSchema`. Default 100,000. */
  readonly maxStructured: number;
  /** `structuredContent` of a tool with one, which cannot be shortened. Default 1,000,000. */
  readonly maxWithSchema: number;
  /**
   * Characters of `_meta` and other members beside the content, and of members beside the text of a block. Default
   * 8,000.
   */
  readonly maxOther: number;
}

export const DEFAULT_OUTPUT_LIMITS: OutputLimits = {
  maxTotal: 100_000,
  maxText: 40_000,
  maxBinary: 2_000_000,
  maxStructured: 100_000,
  maxWithSchema: 1_000_000,
  maxOther: 8_000,
};

export function getJsonSize(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** The size of a block: escapes in a text are not counted. */
export function getBlockSize(block: ContentBlock): number {
  if (block.type !== 'text') return getJsonSize(block);
  return block.text.length + getJsonSize({ ...block, text: '' });
}
