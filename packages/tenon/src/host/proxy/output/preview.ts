import type { ContentBlock, ResourceLink } from '../../../protocol/content.js';
import { replaceInvisible } from '../../../redaction/invisible-characters.js';

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

/** Returns the beginning of a text. Surrogate pairs are never split. */
export const takeBeginning = (text: string, maxLength: number): string =>
  text.slice(0, splitsCharacter(text, maxLength) ? maxLength - 1 : maxLength);

function splitsCharacter(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
}

/**
 * Describes the location of the complete content. The last sentence is for the model, which can let the host read the
 * URI.
 */
export function describeLocation(
  uri: string | undefined,
  part?: { readonly from: number; readonly to: number },
): string {
  if (uri === undefined) return 'It could not be stored.';
  return `Read all of it at ${uri}${part ? `, or this part at ${uri}?from=${part.from}&to=${part.to}` : ''}.`;
}

export function formatPreview(text: string, cut: TextExcerpt, uri: string | undefined): string {
  const [from, to] = [cut.head.length, text.length - cut.tail.length];
  const line = `[${to - from} of ${text.length} characters are left out here. ${describeLocation(uri, { from, to })}]`;
  return [cut.head, line, cut.tail].filter(part => part !== '').join('\n');
}

/** Shortens a text of a server to one line, for use in a line of the host. */
export function quoteServerText(text: string): string {
  const line = replaceInvisible(text.slice(0, MAX_NAMED), ' ');
  return JSON.stringify(text.length > MAX_NAMED ? `${line}…` : line).slice(0, MAX_NAMED + 3);
}

export function createResourceLinks(uri: string | undefined, mimeType: string | undefined): ResourceLink[] {
  if (uri === undefined) return [];
  const type = mimeType === undefined || mimeType.length > MAX_MIME_TYPE ? {} : { mimeType };
  return [{ type: 'resource_link', uri, name: 'left-out', title: 'Complete content', ...type }];
}

export function describeBlock(block: ContentBlock, size: number): string {
  const { type } = block;
  if (type === 'image' || type === 'audio')
    return `${type} of type ${quoteServerText(block.mimeType)}, ${block.data.length} base64 characters`;
  if (type === 'resource') return `resource ${quoteServerText(block.resource.uri)}, ${size} characters`;
  return `block of type ${quoteServerText(String(type))}, ${size} characters`;
}
