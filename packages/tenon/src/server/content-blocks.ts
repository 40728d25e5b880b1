import { TenonError } from '../jsonrpc/error.js';
import { isObject } from '../jsonrpc/message.js';
import type { ContentBlock } from '../model/content.js';
import { content as checkContent } from '../model/methods.js';
import { nearestKey } from '../model/nearest-key.js';

/** The members of each type of block, without those that all have. */
const MEMBERS: { readonly [type: string]: readonly string[] } = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name', 'title', 'description', 'mimeType', 'size', 'icons'],
  resource: ['resource'],
};
const TYPES = Object.keys(MEMBERS);
const COMMON = ['type', 'annotations', '_meta'];

export function isContentBlock(value: unknown): value is ContentBlock {
  return (
    isObject(value) && typeof value.type === 'string' && TYPES.includes(value.type) && findFault(value) === undefined
  );
}

/** Throws `handler/output` for the first block that no client could read. `path` is the place of the list. */
export function requireContentBlocks(subject: string, content: readonly unknown[], path = '/content'): void {
  for (const [at, block] of content.entries()) {
    if (isContentBlock(block)) continue;
    throw new TenonError(
      'handler/output',
      `${subject}: the content block at ${path}/${at} is invalid`,
      describe(block),
    );
  }
}

/** A value that was most likely meant as content, though it is none: an error to report. It may be data all the same. */
export function findMisspelt(subject: string, value: unknown): TenonError | undefined {
  const misspelt = (Array.isArray(value) ? value : [value]).find(each => !isContentBlock(each) && resemblesBlock(each));
  if (misspelt === undefined) return undefined;
  const summary = `${subject}: the result was sent as data, because a content block in it is invalid`;
  return new TenonError('handler/content', summary, describe(misspelt));
}

/** Has the members of one type of block, and that type or nearly so. */
function resemblesBlock(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string') return false;
  const type = TYPES.includes(value.type) ? value.type : nearestKey(value.type, TYPES);
  const members = type === undefined ? undefined : MEMBERS[type];
  if (members === undefined) return false;
  const keys = Object.keys(value);
  return keys.some(key => members.includes(key)) && keys.every(key => members.includes(key) || COMMON.includes(key));
}

function findFault(block: unknown): string | undefined {
  const problem = checkContent(block);
  if (problem !== undefined) return problem;
  const { type, resource } = block as { type: string; resource?: { text?: unknown; blob?: unknown } };
  const isEmpty = type === 'resource' && resource?.text === undefined && resource?.blob === undefined;
  return isEmpty ? 'at /resource: expected text or blob, got neither' : undefined;
}

function describe(block: unknown): { expected: string; got: string; next?: string } {
  const expected = `a block of type ${TYPES.join(', ')}`;
  const type = isObject(block) ? block.type : undefined;
  if (typeof type !== 'string')
    return { expected, got: isObject(block) ? 'an object without a type' : `a ${typeof block}` };
  if (TYPES.includes(type)) {
    const got = findFault(block) ?? 'an invalid block';
    const isBytes = 'data' in (block as object) && typeof (block as { data: unknown }).data === 'object';
    return { expected: `a block of type ${type}`, got, ...(isBytes ? { next: 'give bytes as base64 text' } : {}) };
  }
  const nearest = nearestKey(type, TYPES);
  const got = `the type "${type.slice(0, 40)}"`;
  return nearest === undefined ? { expected, got } : { expected, got, next: `did you mean "${nearest}"?` };
}
