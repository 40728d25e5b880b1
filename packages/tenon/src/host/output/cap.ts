import type { ContentBlock, TextContent } from '../../model/content.js';
import { applyDefaults, type Optional } from '../../model/defaults.js';
import type { CallToolResult } from '../../model/shapes.js';
import { isBase64 } from './base64.js';
import { jsonSize, OUTPUT_LIMITS, type OutputLimits, sizeOf } from './limits.js';
import { cutText, describe, linkTo, NOTICE_SIZE, named, textPreview, whereabouts } from './preview.js';
import type { Spill, Spilled } from './spill.js';

export interface CapOptions {
  readonly limits?: Optional<OutputLimits> | undefined;
  /** Where the whole goes. */
  readonly spill: Pick<Spill, 'put'>;
  /** Whose call it is: nobody else reads the rest. */
  /** Owner of what is put away, as the spill has it: a key of user and OAuth client. */
  readonly principal: string | undefined;
  /** Whether the tool has an `outputSchema`: its structured content is whole, or the result is an error. Default `false`. */
  readonly hasOutputSchema?: boolean | undefined;
}

/** What the content may still have. */
interface Room {
  total: number;
  binary: number;
}

/** With less than this left, the blocks that remain are put away together. */
const LEAST_ROOM = 2 * NOTICE_SIZE;

/**
 * A result within the limits; one that is within them already is returned as it is. What is over is put away: of a text
 * the beginning and the end stay, of all else a line that says what it was; a `resource_link` behind it leads to the
 * whole. Blocks keep their order; those for which no room is left are put away together.
 *
 * `structuredContent` is never shortened. Where the tool has no `outputSchema` it is left out when it is too large. Where
 * it has one, a result without it would break the tool's promise: it stays up to `schemed`, and beyond that the
 * result is an error (which promises nothing) that says that the call was carried out.
 */
export async function cap(result: CallToolResult, options: CapOptions): Promise<CallToolResult> {
  const limits: OutputLimits = applyDefaults(OUTPUT_LIMITS, options.limits ?? {});
  const content = Array.isArray(result.content) ? result.content : [];
  const { structuredContent, content: _, ...rest } = result;
  const before: ContentBlock[] = [];
  const after: ContentBlock[] = [];
  const capped = await capContent(content, limits, options);
  let kept: Partial<CallToolResult> = rest;
  if (jsonSize(rest) > limits.rest) {
    kept = restOf(rest);
    after.push(...(await noticeOf('What stood beside the content is left out.', json(rest), options)));
  }
  let structured: Partial<CallToolResult> = 'structuredContent' in result ? { structuredContent } : {};
  const size = jsonSize(structuredContent);
  if (size > (options.hasOutputSchema ? limits.schemed : limits.structured)) {
    structured = options.hasOutputSchema ? { isError: true } : {};
    const words = options.hasOutputSchema
      ? carriedOut(size)
      : `The structured content, ${size} characters, is left out.`;
    (options.hasOutputSchema ? before : after).push(...(await noticeOf(words, json(structuredContent), options)));
  }
  const isWhole = capped === content && before.length === 0 && after.length === 0;
  return isWhole ? result : { ...kept, ...structured, content: [...before, ...capped, ...after] };
}

function carriedOut(size: number): string {
  return `The call was carried out, but its result, ${size} characters, is too large to be passed on: do not repeat the call.`;
}

/** What every result may say, and no more. */
function restOf({ isError, resultType }: Partial<CallToolResult>): Partial<CallToolResult> {
  return {
    ...(typeof isError === 'boolean' ? { isError } : {}),
    ...(resultType === 'complete' ? { resultType } : {}),
  };
}

async function capContent(content: ContentBlock[], limits: OutputLimits, options: CapOptions): Promise<ContentBlock[]> {
  const room: Room = { total: limits.total, binary: limits.binary };
  if (fitAll(content, limits)) return content;
  const out: ContentBlock[] = [];
  for (const [index, block] of content.entries()) {
    if (fits(block, room, limits)) {
      out.push(block);
      continue;
    }
    if (room.total < LEAST_ROOM) {
      const left = content.slice(index);
      out.push(...(await noticeOf(`${left.length} further blocks are left out.`, json(left), options)));
      break;
    }
    const instead = await replaced(block, Math.min(limits.text, room.total) - NOTICE_SIZE, limits, options);
    room.total -= instead.reduce((sum, each) => sum + sizeOf(each), 0);
    out.push(...instead);
  }
  return out;
}

function fitAll(content: readonly ContentBlock[], limits: OutputLimits): boolean {
  const room: Room = { total: limits.total, binary: limits.binary };
  return content.every(block => fits(block, room, limits));
}

/** Whether a block may stay; what it needs is taken from the room then. */
function fits(block: ContentBlock, room: Room, limits: OutputLimits): boolean {
  const size = sizeOf(block);
  if (blobOf(block) !== undefined) {
    if (size > room.binary) return false;
    room.binary -= size;
    return true;
  }
  const most = block.type === 'text' ? block.text.length + limits.rest : limits.text;
  if (size > Math.min(room.total, most) || (block.type === 'text' && block.text.length > limits.text)) return false;
  room.total -= size;
  return true;
}

async function replaced(
  block: ContentBlock,
  most: number,
  limits: OutputLimits,
  options: CapOptions,
): Promise<ContentBlock[]> {
  const blob = blobOf(block);
  if (blob !== undefined) {
    const { data, mimeType } = blob;
    const what = isBase64(data) ? { blob: data, ...(mimeType === undefined ? {} : { mimeType }) } : json(block);
    return noticeOf(`Left out: ${describe(block, sizeOf(block))}.`, what, options);
  }
  if (block.type === 'text') return shortened(block, most, limits, options);
  if (block.type !== 'resource' || !('text' in block.resource))
    return noticeOf(`Left out: ${describe(block, sizeOf(block))}.`, json(block), options);
  const { text, uri, mimeType } = block.resource;
  const what = { text, ...(mimeType === undefined ? {} : { mimeType }) };
  return preview(`[resource ${named(uri)}]\n`, text, most - (2 * NOTICE_SIZE) / 3, what, {}, options);
}

/** What stands beside the text stays unless it is itself too large: then it is put away with the text. */
async function shortened(block: TextContent, most: number, limits: OutputLimits, options: CapOptions) {
  const { type: _, text, ...beside } = block;
  const size = jsonSize(beside);
  if (size <= limits.rest && size < most)
    return preview('', text, most - size, { text, mimeType: 'text/plain' }, beside, options);
  const note = await noticeOf('What stood beside this text is left out.', json(block), options);
  const { head } = cutText(text, Math.min(limits.text, most - NOTICE_SIZE));
  return [{ type: 'text' as const, text: head }, ...note];
}

async function preview(
  title: string,
  text: string,
  most: number,
  what: Spilled,
  beside: Partial<TextContent>,
  { spill, principal }: CapOptions,
): Promise<ContentBlock[]> {
  const uri = await spill.put(what, principal);
  const shown = title + textPreview(text, cutText(text, most), uri);
  return [{ ...beside, type: 'text', text: shown }, ...linkTo(uri, what.mimeType)];
}

async function noticeOf(words: string, what: Spilled, { spill, principal }: CapOptions): Promise<ContentBlock[]> {
  const uri = await spill.put(what, principal);
  return [{ type: 'text', text: `[${words} ${whereabouts(uri)}]` }, ...linkTo(uri, what.mimeType)];
}

function json(value: unknown): Spilled {
  return { text: JSON.stringify(value), mimeType: 'application/json' };
}

function blobOf(block: ContentBlock): { readonly data: string; readonly mimeType?: string | undefined } | undefined {
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type !== 'resource' || !('blob' in block.resource)) return undefined;
  return { data: block.resource.blob, mimeType: block.resource.mimeType };
}
