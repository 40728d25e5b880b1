import type { ContentBlock, ResourceLink } from '../../model/content.js';

/** What stands in the place of something that was left out: a line that says so, and the link to the whole. */

/** How large the line and the link are together, at the most. */
export const NOTICE_SIZE = 900;
const MAX_MIME_TYPE = 100;
const MAX_NAMED = 200;

/** The beginning and the end of a text. What lies between is what the line says is missing. */
export interface Cut {
  readonly head: string;
  readonly tail: string;
}

/** Two thirds of what may stay are of the beginning. No character is torn apart. */
export function cutText(text: string, most: number): Cut {
  if (text.length <= most) return { head: text, tail: '' };
  const room = Math.max(0, most);
  let head = Math.ceil((room * 2) / 3);
  let tail = text.length - (room - head);
  if (tears(text, head)) head -= 1;
  if (tears(text, tail)) tail += 1;
  return { head: text.slice(0, head), tail: text.slice(tail) };
}

function tears(text: string, at: number): boolean {
  return /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
}

/** Where the whole is. The last words are for the model, which can have the host read the URI. */
export function whereabouts(uri: string | undefined, part?: { readonly from: number; readonly to: number }): string {
  if (uri === undefined) return 'It could not be kept.';
  return `The whole is at ${uri}${part ? `, this part at ${uri}?from=${part.from}&to=${part.to}` : ''}.`;
}

export function textPreview(text: string, cut: Cut, uri: string | undefined): string {
  const [from, to] = [cut.head.length, text.length - cut.tail.length];
  const line = `[${to - from} of ${text.length} characters are left out here. ${whereabouts(uri, { from, to })}]`;
  return [cut.head, line, cut.tail].filter(part => part !== '').join('\n');
}

/** A word of a server in a line of ours: short, and on one line. */
export function named(text: string): string {
  const line = text.slice(0, MAX_NAMED).replace(/[\p{C}\p{Z}]+/gu, ' ');
  return JSON.stringify(text.length > MAX_NAMED ? `${line}…` : line).slice(0, MAX_NAMED + 3);
}

export function linkTo(uri: string | undefined, mimeType: string | undefined): ResourceLink[] {
  if (uri === undefined) return [];
  const type = mimeType === undefined || mimeType.length > MAX_MIME_TYPE ? {} : { mimeType };
  return [{ type: 'resource_link', uri, name: 'left-out', title: 'What was left out, whole', ...type }];
}

export function describe(block: ContentBlock, size: number): string {
  const { type } = block;
  if (type === 'image' || type === 'audio')
    return `${type} of type ${named(block.mimeType)}, ${block.data.length} base64 characters`;
  if (type === 'resource') return `resource ${named(block.resource.uri)}, ${size} characters`;
  return `block of type ${named(String(type))}, ${size} characters`;
}
