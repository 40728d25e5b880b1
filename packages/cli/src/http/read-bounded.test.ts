import { expect, it } from 'vitest';
import { readBounded, SizeLimitError } from './read-bounded.js';

it('stops as soon as a text is longer than the limit', async () => {
  let chunks = 0;
  async function* endless() {
    for (;;) {
      chunks += 1;
      yield new Uint8Array(1000);
    }
  }
  await expect(readBounded(endless(), 2500)).rejects.toBeInstanceOf(SizeLimitError);
  expect(chunks).toBe(3);
});

it('decodes characters that are split between two chunks', async () => {
  const bytes = new TextEncoder().encode('größer');
  async function* split() {
    yield bytes.subarray(0, 3);
    yield bytes.subarray(3);
  }
  expect(await readBounded(split(), bytes.byteLength)).toBe('größer');
});
