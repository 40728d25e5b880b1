import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect } from './collect.js';
import { createStdioPeer, findOfficialServer, type StdioPeer, waitForExit } from './process.js';
import type { MemoryServer } from './server-types.js';

const URI = 'memory://knowledge-graph';

describe('server-memory over stdio', () => {
  let folder: string;
  let peer: StdioPeer;
  let client: Client<MemoryServer>;
  const tools = () => client.tools;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tenon-interop-'));
    peer = createStdioPeer([findOfficialServer('server-memory')], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') });
    client = await connect<MemoryServer>(peer.target);
  });

  afterAll(async () => {
    await client.close();
    await waitForExit(peer.pid());
    await rm(folder, { recursive: true, maxRetries: 10 });
  });

  it('lists tools and its one resource', async () => {
    expect(client.server).toMatchObject({ protocolVersion: '2025-11-25', info: { name: 'memory-server' } });
    expect((await collect(client.listTools())).map(({ name }) => name)).toEqual([
      'create_entities',
      'create_relations',
      'add_observations',
      'delete_entities',
      'delete_observations',
      'delete_relations',
      'read_graph',
      'search_nodes',
      'open_nodes',
    ]);
    expect((await collect(client.listResources())).map(({ uri }) => uri)).toEqual([URI]);
  });

  it('stores, finds and deletes through every tool, and notifies that the graph has changed', async () => {
    const stop = new AbortController();
    const changes = client.watch(URI, { signal: stop.signal })[Symbol.asyncIterator]();
    const changed = changes.next();
    await client.ping();
    const tenon = { name: 'tenon', entityType: 'joint', observations: ['fits a mortise'] };
    const mortise = { name: 'mortise', entityType: 'joint', observations: [] };
    const fits = { from: 'tenon', to: 'mortise', relationType: 'fits' };
    expect(await tools().create_entities({ entities: [tenon, mortise] })).toEqual({ entities: [tenon, mortise] });
    expect(await changed).toMatchObject({ value: { uri: URI } });
    expect(await tools().create_relations({ relations: [fits] })).toEqual({ relations: [fits] });
    expect(
      await tools().add_observations({ observations: [{ entityName: 'mortise', contents: ['is a hole'] }] }),
    ).toEqual({
      results: [{ entityName: 'mortise', addedObservations: ['is a hole'] }],
    });
    expect(await tools().search_nodes({ query: 'hole' })).toMatchObject({ entities: [{ name: 'mortise' }] });
    expect(await tools().open_nodes({ names: ['tenon'] })).toMatchObject({ entities: [tenon] });
    expect(JSON.parse(((await client.readResource(URI)).contents[0] as { text: string }).text)).toMatchObject({
      relations: [fits],
    });
    await tools().delete_observations({ deletions: [{ entityName: 'mortise', observations: ['is a hole'] }] });
    await tools().delete_relations({ relations: [fits] });
    await tools().delete_entities({ entityNames: ['mortise'] });
    expect(await tools().read_graph()).toEqual({ entities: [tenon], relations: [] });
    stop.abort();
    await changes.return?.();
  });
});
