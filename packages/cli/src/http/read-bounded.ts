/** Thrown by `readBounded`. */
export class SizeLimitError extends Error {
  override readonly name = 'SizeLimitError';

  constructor(maxBytes: number) {
    super(`more than ${maxBytes} bytes`);
  }
}

/** Reads a text of UTF-8. Ends with a `SizeLimitError` as soon as it is longer than the limit. */
export async function readBounded(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > maxBytes) throw new SizeLimitError(maxBytes);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
