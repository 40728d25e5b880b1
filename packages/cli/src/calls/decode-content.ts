import { TenonError } from 'tenon';

/**
 * Decodes the binary content of a server. Accepts both alphabets of base64.
 *
 * @param what Subject of the error: the type of the block, or the URI of the resource.
 * @throws TenonError `peer/invalid-result` for another text, which would become other bytes
 */
export function decodeContent(text: string, what: string): Buffer {
  if (!/[^\w+/\s=-]|=[^=\s]/.test(text)) return Buffer.from(text, 'base64');
  throw new TenonError('peer/invalid-result', `${what}: the content is not base64`, {
    received: text.startsWith('data:') ? 'a data: URL' : 'another text',
  });
}
