import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHost } from '@tenon/host';
import { serveHttp } from 'tenon/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { installRuntimes } from '../../scripts/runtimes.mjs';
import { installTools } from '../../scripts/tools.mjs';
import { bundleProgram } from '../interop/process.js';
import { importNotes } from '../support/import-notes.js';
import { clientPeers, type Endpoints, type OpenedPeer } from './client-peers.js';
import { findCounts } from './find-counts.js';

const program = bundleProgram(new URL('../../examples/notes/stdio.ts', import.meta.url));
const gatewayProgram = bundleProgram(new URL('../host/fixtures/gateway.ts', import.meta.url));
const places: Record<'directly' | 'through the gateway', Endpoints | undefined> = {
  directly: undefined,
  'through the gateway': undefined,
};

beforeAll(async () => {
  await installRuntimes();
  await installTools();
  const home = await mkdtemp(join(tmpdir(), 'tenon-peers-'));
  const http = await serveHttp(await importNotes(), { port: 0 });
  const host = await createHost({ servers: { notes: { url: http.url } } });
  const gateway = await serveHttp(host.toServer(), { port: 0 });
  const servers = { notes: { command: process.execPath, args: program } };
  places.directly = { url: http.url, sseUrl: http.sseUrl ?? '', args: program, home };
  places['through the gateway'] = {
    url: gateway.url,
    sseUrl: gateway.sseUrl ?? '',
    args: [...gatewayProgram, JSON.stringify(servers)],
    home,
  };
  return async () => {
    await gateway.close({ timeout: 0 });
    await host.close();
    await http.close({ timeout: 0 });
    await rm(home, { recursive: true, maxRetries: 10 });
  };
}, 600_000);

describe.each(Object.keys(places) as (keyof typeof places)[])('%s', place => {
  const prefix = place === 'directly' ? '' : 'notes__';
  describe.each(clientPeers)('$name', ({ name, open }) => {
    let peer: OpenedPeer;
    beforeAll(async () => {
      peer = await open(places[place] as Endpoints);
      return () => peer.close();
    }, 60_000);

    it('supports as many features as the page states', () => {
      const all = 2 + [peer.readResource, peer.getPrompt, peer.callAsking].filter(Boolean).length;
      expect(findCounts('Clients', name)).toEqual([`${all} of ${all}`, `${all} of ${all}`]);
    });

    it('lists tools', async () => expect(await peer.listTools()).toContain('summarize'), 60_000);

    it('calls tools', async () => {
      expect(await peer.callTool(`${prefix}search`, { words: 'tenon' })).toContain('note://Mortise%20and%20tenon');
    }, 60_000);

    it('reads resources', async ({ skip }) => {
      if (!peer.readResource) return skip('the client has no resources');
      expect(await peer.readResource('note://Dovetail')).toContain('drawers');
    }, 60_000);

    it('gets prompts', async ({ skip }) => {
      if (!peer.getPrompt) return skip('the client has no prompts');
      expect(await peer.getPrompt(`${prefix}review`, { tag: 'joinery', tone: 'blunt' })).toContain('Be blunt');
    }, 60_000);

    it('handles an input request during a call', async ({ skip }) => {
      if (!peer.callAsking) return skip('the client has no user to ask');
      const title = `Note for ${name} ${place}`;
      await peer.callTool(`${prefix}write`, { title, body: 'Text' });
      expect(await peer.callAsking(`${prefix}remove`, { title })).toContain('Removed');
    }, 60_000);
  });
});
