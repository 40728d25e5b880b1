import { applyDefaults, type JsonObject, type Optional, stringifyJson, takeBeginning } from '@tenon/base';
import type { CallToolResult, ContentBlock, TextContent } from 'tenon';
import { getByteLength, isBase64 } from './base64-range.js';
import { DEFAULT_OUTPUT_LIMITS, getBlockSize, getJsonSize, type OutputLimits } from './output-limits.js';
import { MAX_PAGE, type OverflowContent, type OverflowStore } from './overflow-store.js';
import {
  createResourceLinks,
  describeBlock,
  describeLocation,
  formatPreview,
  NOTICE_SIZE,
  type OverflowLocation,
  quoteServerText,
  takeExcerpt,
} from './preview.js';

export interface TruncateOptions {
  /**
   * Limits on the result.
   * @default those of `OutputLimits`
   */
  readonly limits?: Optional<OutputLimits> | undefined;
  /** Store for the complete content. */
  readonly overflow: Pick<OverflowStore, 'put'> & Partial<Pick<OverflowStore, 'maxPageSize'>>;
  /** Owner of the stored content: key of user and OAuth client. Only the owner can read it. */
  readonly principal: string | undefined;
  /**
   * True if the tool has an `outputSchema`. Its structured content is then never omitted without an error.
   * @default `false`
   */
  readonly hasOutputSchema?: boolean | undefined;
}

/** Remaining size of the content. */
interface RemainingSize {
  total: number;
  binary: number;
}

/** Size of a text block without its text. */
const MIN_OVERHEAD = 2;
/** Minimum remaining size for one more block. Below it, all further blocks are stored together. */
const MIN_REMAINING = 2 * NOTICE_SIZE;

/**
 * Truncates a result that exceeds the limits, and returns other results unchanged.
 *
 * A long text keeps its beginning and end. A line of text replaces other omitted content. A `resource_link` leads to
 * the complete content.
 *
 * Blocks keep their order. Those that do not fit are stored together.
 *
 * `structuredContent` is never shortened. If it is too large, it is omitted for a tool without an `outputSchema`.
 *
 * With an `outputSchema`, the limit is `maxWithSchema`. Above it, the result becomes an error that tells the model not
 * to repeat the call.
 */
export function truncateResult(result: CallToolResult, options: TruncateOptions): Promise<CallToolResult>;
export function truncateResult(result: JsonObject, options: TruncateOptions): Promise<JsonObject>;
export async function truncateResult(
  result: CallToolResult | JsonObject,
  options: TruncateOptions,
): Promise<CallToolResult | JsonObject> {
  const limits: OutputLimits = applyDefaults(DEFAULT_OUTPUT_LIMITS, options.limits ?? {});
  const content = Array.isArray(result.content) ? result.content : [];
  const { structuredContent, content: _, ...rest } = result;
  const before: ContentBlock[] = [];
  const after: ContentBlock[] = [];
  const truncated = await truncateContent(content, limits, options);
  let otherFields: Partial<CallToolResult> = rest;
  if (getJsonSize(rest) > limits.maxOther) {
    otherFields = pickResultFields(rest);
    after.push(...(await createNotice('The members next to the content are left out.', toJsonOverflow(rest), options)));
  }
  let structured: Partial<CallToolResult> = 'structuredContent' in result ? { structuredContent } : {};
  const size = getJsonSize(structuredContent);
  if (size > (options.hasOutputSchema ? limits.maxWithSchema : limits.maxStructured)) {
    structured = options.hasOutputSchema ? { isError: true } : {};
    const notice = options.hasOutputSchema
      ? describeOversizedResult(size)
      : `The structured content, ${size} characters, is left out.`;
    (options.hasOutputSchema ? before : after).push(
      ...(await createNotice(notice, toJsonOverflow(structuredContent), options)),
    );
  }
  const isUnchanged = truncated === content && before.length === 0 && after.length === 0;
  return isUnchanged ? result : { ...otherFields, ...structured, content: [...before, ...truncated, ...after] };
}

function describeOversizedResult(size: number): string {
  return `The call was carried out, but its result, ${size} characters, is too large to be passed on: do not repeat the call.`;
}

/** Picks the members that every result may have. */
function pickResultFields({ isError, resultType }: Partial<CallToolResult>): Partial<CallToolResult> {
  return {
    ...(typeof isError === 'boolean' ? { isError } : {}),
    ...(resultType === 'complete' ? { resultType } : {}),
  };
}

async function truncateContent(
  content: ContentBlock[],
  limits: OutputLimits,
  options: TruncateOptions,
): Promise<ContentBlock[]> {
  const room: RemainingSize = { total: limits.maxTotal, binary: limits.maxBinary };
  if (canFitAll(content, limits)) return content;
  const out: ContentBlock[] = [];
  for (const [index, block] of content.entries()) {
    if (takeRoom(block, room, limits)) {
      out.push(block);
      continue;
    }
    if (room.total < MIN_REMAINING) {
      out.push(...(await replaceLastBlocks(content.slice(index), index === 0 ? room.total : 0, limits, options)));
      break;
    }
    const instead = await replaceBlock(
      block,
      withoutNotice(block, Math.min(limits.maxText, room.total)),
      limits,
      options,
    );
    room.total -= instead.reduce((sum, each) => sum + getBlockSize(each), 0);
    out.push(...instead);
  }
  return out;
}

/**
 * Stores the blocks that do not fit together.
 *
 * @param most Maximum size of the beginning of the first block that is kept, if the block is a text.
 */
async function replaceLastBlocks(
  blocks: readonly ContentBlock[],
  most: number,
  limits: OutputLimits,
  options: TruncateOptions,
): Promise<ContentBlock[]> {
  const [first] = blocks;
  const further = formatFurtherBlocks(blocks.length - 1);
  if (first?.type !== 'text' || most <= MIN_OVERHEAD) {
    const all = formatFurtherBlocks(blocks.length);
    return createNotice(`${all} ${blocks.length === 1 ? 'is' : 'are'} left out.`, toJsonOverflow(blocks), options);
  }
  if (blocks.length === 1) return shortenText(first, most, limits, options);
  const notice = `The rest of this text, and ${further}, are left out.`;
  return [
    { type: 'text', text: takeBeginning(first.text, most - MIN_OVERHEAD) },
    ...(await createNotice(notice, toJsonOverflow(blocks), options)),
  ];
}

const formatFurtherBlocks = (count: number): string => `${count} further block${count === 1 ? '' : 's'}`;

function canFitAll(content: readonly ContentBlock[], limits: OutputLimits): boolean {
  const room: RemainingSize = { total: limits.maxTotal, binary: limits.maxBinary };
  return content.every(block => takeRoom(block, room, limits));
}

/** Subtracts the size of a block from the remaining size. Returns false if it does not fit. */
function takeRoom(block: ContentBlock, room: RemainingSize, limits: OutputLimits): boolean {
  const size = getBlockSize(block);
  if (getBlob(block) !== undefined) {
    if (size > room.binary) return false;
    room.binary -= size;
    return true;
  }
  const most = block.type === 'text' ? block.text.length + limits.maxOther : limits.maxText;
  if (size > Math.min(room.total, most) || (block.type === 'text' && block.text.length > limits.maxText)) return false;
  room.total -= size;
  return true;
}

async function replaceBlock(
  block: ContentBlock,
  most: number,
  limits: OutputLimits,
  options: TruncateOptions,
): Promise<ContentBlock[]> {
  const blob = getBlob(block);
  if (blob !== undefined) {
    const { data, mimeType } = blob;
    const overflowContent = isBase64(data)
      ? { blob: data, ...(mimeType === undefined ? {} : { mimeType }) }
      : toJsonOverflow(block);
    return createNotice(`Left out: ${describeBlock(block, getBlockSize(block))}.`, overflowContent, options);
  }
  if (block.type === 'text') return shortenText(block, most, limits, options);
  if (block.type !== 'resource' || !('text' in block.resource))
    return createNotice(`Left out: ${describeBlock(block, getBlockSize(block))}.`, toJsonOverflow(block), options);
  const { text, uri, mimeType } = block.resource;
  const overflowContent = { text, ...(mimeType === undefined ? {} : { mimeType }) };
  return createTextPreview(
    `[resource ${quoteServerText(uri)}]\n`,
    text,
    most - (2 * NOTICE_SIZE) / 3,
    overflowContent,
    {},
    options,
  );
}

/**
 * Returns the size that is left beside a notice, at least half, because a notice is rarely as long as it may be. The
 * replacement of a block is never longer than the block.
 */
const withoutNotice = (block: ContentBlock, size: number): number =>
  Math.max(size - NOTICE_SIZE, Math.min(Math.floor(size / 2), getBlockSize(block) - NOTICE_SIZE));

/** Shortens a text and stores the complete text. */
async function shortenText(block: TextContent, most: number, limits: OutputLimits, options: TruncateOptions) {
  const { type: _, text, ...beside } = block;
  const size = Object.keys(beside).length === 0 ? 0 : getJsonSize(beside);
  const complete = { text, mimeType: 'text/plain' };
  if (size === 0 && most <= 0)
    return createNotice(`This text, ${text.length} characters, is left out.`, complete, options);
  if (size === 0 || (size <= limits.maxOther && size < most))
    return createTextPreview('', text, most - size, complete, beside, options);
  const note = await createNotice('The other members of this text are left out.', toJsonOverflow(block), options);
  const { head } = takeExcerpt(text, Math.min(limits.maxText, withoutNotice(block, most)));
  return [{ type: 'text' as const, text: head }, ...note];
}

async function createTextPreview(
  title: string,
  text: string,
  most: number,
  overflowContent: OverflowContent,
  beside: Partial<TextContent>,
  options: TruncateOptions,
): Promise<ContentBlock[]> {
  const location = await storeContent(overflowContent, options);
  const shown = title + formatPreview(text, takeExcerpt(text, most), location);
  return [{ ...beside, type: 'text', text: shown }, ...createResourceLinks(location, overflowContent.mimeType)];
}

async function createNotice(
  notice: string,
  overflowContent: OverflowContent,
  options: TruncateOptions,
): Promise<ContentBlock[]> {
  const location = await storeContent(overflowContent, options);
  return [
    { type: 'text', text: `[${notice} ${describeLocation(location)}]` },
    ...createResourceLinks(location, overflowContent.mimeType),
  ];
}

async function storeContent(
  content: OverflowContent,
  { overflow, principal }: TruncateOptions,
): Promise<OverflowLocation | undefined> {
  const uri = await overflow.put(content, principal);
  if (uri === undefined) return undefined;
  const { maxPageSize = MAX_PAGE } = overflow;
  const total = 'text' in content ? content.text.length : getByteLength(content.blob.length, content.blob.slice(-2));
  return { uri, total, maxPageSize };
}

function toJsonOverflow(value: unknown): OverflowContent {
  return { text: stringifyJson(value), mimeType: 'application/json' };
}

function getBlob(block: ContentBlock): { readonly data: string; readonly mimeType?: string | undefined } | undefined {
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return { data: block.resource.blob, mimeType: block.resource.mimeType };
}
