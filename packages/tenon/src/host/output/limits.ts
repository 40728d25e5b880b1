import type { ContentBlock } from '../../model/content.js';

/** How much of a result a model is shown. Sizes are characters (UTF-16 units): of a text itself, of the JSON of all else. */
export interface OutputLimits {
  /** All content blocks together. Default 100,000. */
  readonly total: number;
  /** One text, or one text resource. Default 40,000. */
  readonly text: number;
  /** One image, sound or binary resource, as base64. Default 2,000,000; they have this limit instead of `total`, together. */
  readonly binary: number;
  /** `structuredContent` of a tool without an `outputSchema`. Default 100,000. */
  readonly structured: number;
  /** `structuredContent` of a tool with one, which can not be shortened. Default 1,000,000. */
  readonly schemed: number;
  /** `_meta` and whatever else stands beside the content; also what stands beside the text of a block. Default 8,000. */
  readonly rest: number;
}

export const OUTPUT_LIMITS: OutputLimits = {
  total: 100_000,
  text: 40_000,
  binary: 2_000_000,
  structured: 100_000,
  schemed: 1_000_000,
  rest: 8_000,
};

export function jsonSize(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}

/** The size of a block: escapes in a text are not counted. */
export function sizeOf(block: ContentBlock): number {
  if (block.type !== 'text') return jsonSize(block);
  return block.text.length + jsonSize({ ...block, text: '' });
}
