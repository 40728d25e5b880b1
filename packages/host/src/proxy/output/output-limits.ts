import type { ContentBlock } from 'tenon';

/**
 * Limits on the part of a result that a model sees. Sizes are in characters (UTF-16 units): of a text itself, or of the
 * JSON of other content.
 */
export interface OutputLimits {
  /**
   * Maximum size of all content blocks.
   * @default 100,000
   */
  readonly maxTotal: number;
  /**
   * Maximum size of one text or text resource.
   * @default 40,000
   */
  readonly maxText: number;
  /**
   * Maximum size of all images, sounds and binary resources, as base64. They do not count towards `maxTotal`.
   * @default 2,000,000
   */
  readonly maxBinary: number;
  /**
   * Maximum size of `structuredContent` of a tool without an `outputSchema`.
   * @default 100,000
   */
  readonly maxStructured: number;
  /**
   * Maximum size of `structuredContent` of a tool with an `outputSchema`, which cannot be shortened.
   * @default 1,000,000
   */
  readonly maxWithSchema: number;
  /**
   * Maximum size of `_meta` and other members next to the content, and of the members next to the text of a block.
   * @default 8,000
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

/** Returns the size of a block. Escape characters in a text are not counted. */
export function getBlockSize(block: ContentBlock): number {
  if (block.type !== 'text') return getJsonSize(block);
  return block.text.length + getJsonSize({ ...block, text: '' });
}
