import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importNotes } from '../support/import-notes.js';
import { getText } from './collect.js';
import { bundleProgram, waitForExit } from './process.js';
import type { ConnectedSdkClient } from './sdk-client.js';
import { connectSdkV1 } from './sdk-v1-client.js';
import { connectSdkV2 } from './sdk-v2-client.js';

const args = bundleProgram(new URL('../../examples/notes/stdio.ts', import.meta.url));
const auto = { versionNegotiation: { mode: 'auto' } } as const;
const pinned = { versionNegotiation: { mode: { pin: '2026-07-28' } } } as const;

/** How each comes to the notes; over HTTP to a server that starts anew with each. */
const visitors: Record<string, (http: HttpServer) => Promise<ConnectedSdkClient>> = {
  'SDK v1 over stdio': () => connectSdkV1({ args }),
  'SDK v1 over Streamable HTTP': ({ url }) => connectSdkV1({ url }),
  'SDK v1 over HTTP+SSE': ({ sseUrl = '' }) => connectSdkV1({ sseUrl }),
  'SDK v2 over stdio, auto': () => connectSdkV2({ args }, auto),
  'SDK v2 over Streamable HTTP, default': ({ url }) => connectSdkV2({ url }),
  'SDK v2 over Streamable HTTP, auto': ({ url }) => connectSdkV2({ url }, auto),
  'SDK v2 over Streamable HTTP, pinned': ({ url }) => connectSdkV2({ url }, pinned),
};

describe.each(Object.keys(visitors))('the notes server, used by %s', name => {
  let http: HttpServer;
  let visitor: ConnectedSdkClient;

  beforeAll(async () => {
    http = await serveHttp(await importNotes(), { port: 0 });
    visitor = await (visitors[name] as (http: HttpServer) => Promise<ConnectedSdkClient>)(http);
  });
  afterAll(async () => {
    await visitor.client.close();
    if (visitor.pid) await waitForExit(visitor.pid);
    await http.close({ timeout: 0 });
  });

  it('writes, replaces when the user agrees, finds and shows notes', async () => {
    const { call, requests } = visitor;
    expect(
      await call('write', { title: 'Glue', body: 'Hide glue lets go when steamed.', tags: ['joinery'] }),
    ).toMatchObject({ structuredContent: { uri: 'note://Glue', replaced: false } });
    expect(await call('write', { title: 'Glue', body: 'Steam loosens hide glue.' })).toMatchObject({
      structuredContent: { replaced: true },
    });
    expect(requests).toEqual(['form Replace the note “Glue”?']);
    expect(getText(await call('search', { words: 'steam' }))).toContain('note://Glue');
    expect(await call('show', { title: 'Glue' })).toMatchObject({
      content: [{ text: 'Steam loosens hide glue.' }, { type: 'resource_link', uri: 'note://Glue' }],
    });
    expect(await call('show', { title: 'Nail' })).toMatchObject({ isError: true });
  });

  it('summarizes by sampling, and imports with progress', async () => {
    const { call } = visitor;
    expect(getText(await call('summarize', { title: 'Dovetail', words: 10 }))).toContain(
      'You said: Summarize in 10 words',
    );
    const imported = await call(
      'import',
      { text: 'Rebate\nA step along an edge.\n\nDovetail\nKnown already.' },
      { onprogress: () => {} },
    );
    expect(imported).toMatchObject({ structuredContent: { imported: 1, skipped: 1 } });
  });

  it('reads, completes, reviews and removes notes', async () => {
    const { client, call } = visitor;
    const { contents } = await client.readResource({ uri: 'note://Mortise%20and%20tenon' });
    expect(contents).toMatchObject([{ mimeType: 'text/markdown', text: expect.stringContaining('No nails') }]);
    expect((await client.readResource({ uri: 'notebook://index' })).contents[0]).toMatchObject({
      text: expect.stringContaining('Rebate'),
    });
    const title = await client.complete({
      ref: { type: 'ref/resource', uri: 'note://{title}' },
      argument: { name: 'title', value: 're' },
    } as never);
    expect(title.completion.values).toEqual(['Rebate']);
    const { messages } = await client.getPrompt({ name: 'review', arguments: { tag: 'joinery', tone: 'blunt' } });
    expect(messages.length).toBeGreaterThan(2);
    expect(await call('remove', { title: 'Rebate' })).toMatchObject({ content: [{ text: 'Removed “Rebate”.' }] });
    await expect(client.readResource({ uri: 'note://Rebate' })).rejects.toThrow(/not found/i);
  });
});
