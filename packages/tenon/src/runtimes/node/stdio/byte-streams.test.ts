import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createByteSource } from './byte-streams.js';

const CHUNK_BYTES = 64 * 1024;

/** Reads a stream that always has the next chunk. Returns how many chunks each turn of the event loop read. */
async function countChunksPerTurn(chunkBytes: number, count: number): Promise<readonly number[]> {
  const turns = [0];
  let reading = true;
  const startTurn = () => {
    if (!reading) return;
    turns.push(0);
    setImmediate(startTurn);
  };
  setImmediate(startTurn);
  let left = count;
  const stream = new Readable({
    read() {
      left -= 1;
      this.push(left >= 0 ? Buffer.alloc(chunkBytes) : null);
    },
  });
  await new Promise<void>(resolve => {
    createByteSource(stream).read({
      push: () => turns.push((turns.pop() ?? 0) + 1),
      end: () => resolve(),
    });
  });
  reading = false;
  return turns;
}

const sum = (counts: readonly number[]) => counts.reduce((total, each) => total + each, 0);

describe('a byte source of a Node stream', () => {
  it.each([1, 2, 64])('lets other work run after each 64 KiB, also in %i chunks', async part => {
    const turns = await countChunksPerTurn(CHUNK_BYTES / part, 40 * part);
    expect(sum(turns)).toBe(40 * part);
    expect(Math.max(...turns)).toBeLessThanOrEqual(2 * part);
  });

  it('reads less without pauses', async () => {
    const turns = await countChunksPerTurn(CHUNK_BYTES / 64, 63);
    expect(turns.filter(count => count > 0)).toEqual([63]);
  });

  it('stays paused when its reader paused it during a full chunk', async () => {
    let chunks = 0;
    const stream = Readable.from([Buffer.alloc(CHUNK_BYTES), Buffer.alloc(CHUNK_BYTES)]);
    const source = createByteSource(stream);
    const ended = new Promise<void>(resolve => {
      source.read({
        push() {
          chunks += 1;
          if (chunks === 1) source.pause();
        },
        end: () => resolve(),
      });
    });
    for (let turn = 0; turn < 10; turn++) await new Promise(resolve => setImmediate(resolve));
    expect(chunks).toBe(1);
    source.resume();
    await ended;
    expect(chunks).toBe(2);
  });
});
