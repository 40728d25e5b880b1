import { encodeBase64, isObject, TenonError } from '@tenon/base';
import type { ResourceContents } from '../../protocol/content.js';
import type { ResourceDefinition } from '../definitions/resource.js';
import { requireJson } from './json-text.js';

/**
 * Converts the return value of a resource's handler to contents. The value can be text, bytes, contents, a list of
 * these, or a result in the form of the specification. Throws `handler/output` for any other value.
 */
export function encodeContents(
  uri: string,
  { mimeType }: Pick<ResourceDefinition<never>, 'mimeType'>,
  returned: unknown,
): ResourceContents[] {
  const parts = isObject(returned) && Array.isArray(returned.contents) ? returned.contents : returned;
  const common = { uri, ...(mimeType === undefined ? {} : { mimeType }) };
  return (Array.isArray(parts) ? parts : [parts]).map((part: unknown) => {
    if (typeof part === 'string') return { ...common, text: part };
    if (part instanceof Uint8Array) return { ...common, blob: encodeBase64(part) };
    if (typeof part === 'number' || typeof part === 'boolean') return { ...common, text: JSON.stringify(part) };
    if (!isObject(part) || (typeof part.text !== 'string' && typeof part.blob !== 'string'))
      throw createContentsError(uri, part);
    return { ...common, ...part } as ResourceContents;
  });
}

function createContentsError(uri: string, part: unknown): TenonError {
  const subject = `resource "${uri}"`;
  const isContents = isObject(part) && ('text' in part || 'blob' in part);
  if (!isContents) requireJson(subject, part);
  return new TenonError('handler/output', `${subject}: the contents have neither text nor blob`, {
    expected: 'a string, a Uint8Array, { text } or { blob } with base64',
    received: describePart(part),
    hint: 'return JSON.stringify(value) to send data as text',
  });
}

function describePart(part: unknown): string {
  if (part === null) return 'null';
  if (!isObject(part)) return Array.isArray(part) ? 'a list in a list' : `a ${typeof part}`;
  for (const key of ['text', 'blob']) {
    if (!(key in part)) continue;
    const value = part[key];
    const type = typeof value === 'object' ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;
    return `a ${type} as ${key}`;
  }
  return `an object with the keys ${Object.keys(part).slice(0, 10).join(', ') || '(none)'}`;
}
