import { replaceInvisible } from '@tenon/base';
import type { ContentBlock, ResourceLink } from 'tenon';
import { countPages } from './overflow-store.js';

/** Text that replaces omitted content: a notice, and a link to the complete content. */

/** Maximum size of the notice and the link together. */
export const NOTICE_SIZE = 900;
const MAX_MIME_TYPE = 100;
const MAX_NAMED = 200;

/** Beginning and end of a text, with a line between them that describes the omitted part. */
export interface TextExcerpt {
  readonly head: string;
  readonly tail: string;
}

/** Splits a text into head and tail. The head gets two thirds of `maxLength`. Surrogate pairs are never split. */
export function takeExcerpt(text: string, maxLength: number): TextExcerpt {
  if (text.length <= maxLength) return { head: text, tail: '' };
  const room = Math.max(0, maxLength);
  let head = Math.ceil((room * 2) / 3);
  let tail = text.length - (room - head);
  if (splitsCharacter(text, head)) head -= 1;
  if (splitsCharacter(text, tail)) tail += 1;
  return { head: text.slice(0, head), tail: text.slice(tail) };
}

function splitsCharacter(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
}

/** Place of stored content. Each page of it has a URI. */
export interface OverflowLocation {
  readonly uri: string;
  /** Size of the content, in characters of a text or bytes of a blob. */
  readonly total: number;
  readonly maxPageSize: number;
}

/**
 * Describes the location of the complete content. The last sentence is for the model, which can let the host read the
 * URIs. One read returns at most one page, so all pages are named.
 */
export function describeLocation(
  location: OverflowLocation | undefined,
  part?: { readonly from: number; readonly to: number },
): string {
  if (location === undefined) return 'It could not be stored.';
  const { uri, total, maxPageSize } = location;
  const pages = countPages(total, maxPageSize);
  const range = part && `${uri}?from=${part.from}&to=${part.to}`;
  if (pages === 1) return `Read all of it at ${uri}${range === undefined ? '' : `, or this part at ${range}`}.`;
  const last = `${pages === 2 ? ' and' : ', and so on to'} ${uri}?page=${pages}`;
  const named = `Read all of it in ${pages} pages, at ${uri}?page=1${last}`;
  if (part === undefined) return `${named}.`;
  if (part.to - part.from <= maxPageSize) return `${named}, or this part at ${range}.`;
  const [first, end] = [Math.floor(part.from / maxPageSize) + 1, Math.ceil(part.to / maxPageSize)];
  return `${named}. This part is in the pages ${first} to ${end}, and its first page is at ${range}.`;
}

export function formatPreview(text: string, cut: TextExcerpt, location: OverflowLocation | undefined): string {
  const [from, to] = [cut.head.length, text.length - cut.tail.length];
  const described = describeLocation(location, { from, to });
  const line = `[${to - from} of ${text.length} characters are left out here. ${described}]`;
  return [cut.head, line, cut.tail].filter(part => part !== '').join('\n');
}

/** Shortens a text of a server to one line, for use in a line of the host. */
export function quoteServerText(text: string): string {
  const line = replaceInvisible(text.slice(0, MAX_NAMED), ' ');
  return JSON.stringify(text.length > MAX_NAMED ? `${line}…` : line).slice(0, MAX_NAMED + 3);
}

/** Creates the link to the complete content. Reading it returns the first page. */
export function createResourceLinks(
  location: OverflowLocation | undefined,
  mimeType: string | undefined,
): ResourceLink[] {
  if (location === undefined) return [];
  const { uri, total, maxPageSize } = location;
  const pages = countPages(total, maxPageSize);
  const type = mimeType === undefined || mimeType.length > MAX_MIME_TYPE ? {} : { mimeType };
  const title = pages === 1 ? 'Complete content' : `Complete content, in ${pages} pages`;
  return [{ type: 'resource_link', uri, name: 'left-out', title, ...type }];
}

export function describeBlock(block: ContentBlock, size: number): string {
  const { type } = block;
  if (type === 'image' || type === 'audio')
    return `${type} of type ${quoteServerText(block.mimeType)}, ${block.data.length} base64 characters`;
  if (type === 'resource') return `resource ${quoteServerText(block.resource.uri)}, ${size} characters`;
  return `block of type ${quoteServerText(String(type))}, ${size} characters`;
}
