import { describeType, findNearestKey, isObject, TenonError } from '@tenon/base';
import type { ContentBlock } from '../../protocol/content.js';
import { checkContentBlock } from '../../protocol/methods.js';

/** The members of each type of block, without the members that all types have. */
const BLOCK_MEMBERS: { readonly [type: string]: readonly string[] } = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name', 'title', 'description', 'mimeType', 'size', 'icons'],
  resource: ['resource'],
};
const BLOCK_TYPES = Object.keys(BLOCK_MEMBERS);
const COMMON_MEMBERS = ['type', 'annotations', '_meta'];

export function isContentBlock(value: unknown): value is ContentBlock {
  return (
    isObject(value) &&
    typeof value.type === 'string' &&
    BLOCK_TYPES.includes(value.type) &&
    checkContentBlock(value) === undefined
  );
}

/** Throws `handler/output` for the first block that no client could read. `path` is the location of the list. */
export function requireContentBlocks(subject: string, content: readonly unknown[], path = '/content'): void {
  for (const [index, block] of content.entries()) {
    if (isContentBlock(block)) continue;
    throw new TenonError(
      'handler/output',
      `${subject}: the content block at ${path}/${index} is invalid`,
      describeBlock(block),
    );
  }
}

/**
 * Returns an error for a value that is probably meant as a content block but is malformed. The caller reports it,
 * because the value may still be data.
 */
export function findMalformedBlock(subject: string, value: unknown): TenonError | undefined {
  const malformed = (Array.isArray(value) ? value : [value]).find(
    each => !isContentBlock(each) && resemblesBlock(each),
  );
  if (malformed === undefined) return undefined;
  const summary = `${subject}: the result was sent as data, because a content block in it is invalid`;
  return new TenonError('handler/content', summary, describeBlock(malformed));
}

/** Tells if a value has the members of one type of block, and a `type` that is equal or similar. */
function resemblesBlock(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== 'string') return false;
  const type = BLOCK_TYPES.includes(value.type) ? value.type : findNearestKey(value.type, BLOCK_TYPES);
  const members = type === undefined ? undefined : BLOCK_MEMBERS[type];
  if (members === undefined) return false;
  const keys = Object.keys(value);
  return (
    keys.some(key => members.includes(key)) && keys.every(key => members.includes(key) || COMMON_MEMBERS.includes(key))
  );
}

function describeBlock(block: unknown): { expected: string; received: string; hint?: string } {
  const expected = `a block of type ${BLOCK_TYPES.join(', ')}`;
  const type = isObject(block) ? block.type : undefined;
  if (typeof type !== 'string')
    return { expected, received: isObject(block) ? 'an object without a type' : describeType(block) };
  if (BLOCK_TYPES.includes(type)) {
    const received = checkContentBlock(block) ?? 'an invalid block';
    const isBytes = 'data' in (block as object) && typeof (block as { data: unknown }).data === 'object';
    return {
      expected: `a block of type ${type}`,
      received,
      ...(isBytes ? { hint: 'encode bytes as a base64 string' } : {}),
    };
  }
  const nearest = findNearestKey(type, BLOCK_TYPES);
  const received = `the type "${type.slice(0, 40)}"`;
  return nearest === undefined ? { expected, received } : { expected, received, hint: `did you mean "${nearest}"?` };
}
