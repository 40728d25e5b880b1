import { describe, expect, it } from 'vitest';
import type { ServerListing } from '../tools/read-listing.js';
import { ServerSnapshots } from './server-snapshots.js';

const createListing = (description: string, more: Partial<ServerListing> = {}): ServerListing => ({
  server: { name: 'shop', version: '1.0.0' },
  protocolVersion: '2025-11-25',
  instructions: null,
  tokens: 10,
  tools: [{ name: 'price', description, inputSchema: { type: 'object' }, signature: 'price()', tokens: 10 }],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  failedLists: [],
  ...more,
});

describe('ServerSnapshots', () => {
  it('compares the first definitions of a server with the last ones, or any two, and names hidden characters [con.diff]', async () => {
    let time = 0;
    const snapshots = new ServerSnapshots('shop', () => (time += 1000));
    expect(await snapshots.read()).toEqual({ snapshots: [], before: null, after: null, count: 0, changes: [] });
    snapshots.add(createListing('Tells a price.'));
    snapshots.add(createListing('Tells a price.', { tokens: 11 }));
    snapshots.add(createListing('Tells a price\u200b.'));
    snapshots.add(createListing('Tells a price\u200b.', { tools: [] }));
    const { changes, ...last } = await snapshots.read();
    const times = [1, 2, 3].map(id => ({ id, time: id * 1000 }));
    expect(last).toEqual({ snapshots: times, before: 1, after: 3, count: 1 });
    expect(changes[0]?.title).toMatch(/tool price/);
    const { changes: first } = await snapshots.read(1, 2);
    expect(first.map(({ lines }) => lines)).toEqual([
      ['- Tells a price.', '+ Tells a price<U+200B ZERO WIDTH SPACE>.'],
    ]);
    expect((await snapshots.read(2, 2)).changes).toEqual([]);
  });

  it('ignores a listing without some lists, and keeps the last ten snapshots', async () => {
    const snapshots = new ServerSnapshots('shop');
    const failed = { list: 'tools', exit: 1, code: 'x', cause: 'x', fix: 'x' } as const;
    snapshots.add(createListing('none', { failedLists: [failed] }));
    for (let count = 1; count <= 12; count += 1) snapshots.add(createListing(`description ${count}`));
    const { snapshots: kept } = await snapshots.read();
    expect(kept.map(({ id }) => id)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });
});
