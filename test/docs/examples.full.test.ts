import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { appsExtension } from '@tenon/apps/host';
import { skillsExtension, skillsOf } from '@tenon/skills/client';
import { connect } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { server } from '../../examples/notes/server.ts';
import { findFreePort } from '../../packages/tenon/src/stores/fixtures/find-free-port.js';
import { bundle } from '../support/bundle.js';
import { isFull, takeCover } from '../support/extent.js';
import { root } from './pages.js';
import { run } from './workshop.js';

type Notes = typeof server;

const tsx = join(root, 'node_modules/tsx/dist/loader.mjs');
const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
/** Returns the arguments that start an example: its source in a full run, as readers start it, else one file, which loads sooner. */
const example = (path: string): readonly string[] => (isFull ? fromSource(path) : [bundle(`examples/${path}`)]);
const fromSource = (path: string): readonly string[] => ['--import', tsx, join(root, 'examples', path)];

interface Program {
  readonly url: string;
  end(): Promise<number | null>;
}

/** Starts an example on a port that is free, and waits until it has said where it serves. */
async function start(path: string, args: (port: number) => string[], programOf = example): Promise<Program> {
  const port = await findFreePort();
  const child = spawn(process.execPath, [...programOf(path), ...args(port)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await send(child, `http://127.0.0.1:${port}/mcp`);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async end() {
      child.kill('SIGTERM');
      const [code] = await once(child, 'close');
      return code;
    },
  };
}

async function send(child: ChildProcess, text: string): Promise<void> {
  if (child.stdout === null) throw new Error('there is no output to read');
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.includes(text)) continue;
    child.stdout.resume();
    return;
  }
  throw new Error(`ended without saying ${text}`);
}

/** Looks for a note by every means of a client. */
async function looksRight(target: Parameters<typeof connect>[0], protocolVersion: string): Promise<void> {
  const client = await connect<Notes>(target, { protocolVersion });
  expect(client.server.protocolVersion).toBe(protocolVersion);
  expect(await client.tools.search({ words: 'drawers' })).toEqual([
    { title: 'Dovetail', uri: 'note://Dovetail', tags: ['joinery'] },
  ]);
  const { contents } = await client.readResource('note://Dovetail');
  expect(contents).toEqual([expect.objectContaining({ text: expect.stringContaining('corners of drawers') })]);
  const { messages } = await client.prompts.review({ tag: 'joinery' });
  expect(messages).toHaveLength(3);
  await client.close();
}

/** Each run tries the newest version with sessions, and the newest of all. */
const isEnd = (version: string) => versions.slice(-2).includes(version as never);

describe.each([
  ['express/server.ts', (port: number) => [String(port)]],
  ['fastify/server.ts', (port: number) => [String(port)]],
  ['hono/server.ts', (port: number) => [String(port)]],
  ['notes/http.ts', (port: number) => ['--port', String(port)]],
])('examples/%s', (path, args) => {
  let program: Program;
  beforeAll(async () => {
    program = await start(path, args);
  });
  afterAll(async () => {
    expect(await program.end()).toBe(0);
  });

  it.each(takeCover(versions.slice(1), isEnd))('serves a client of %s', async version => {
    await looksRight({ url: program.url, transport: 'http' }, version);
  });

  it('serves the two endpoints of 2024-11-05', async () => {
    await looksRight({ url: program.url.replace('/mcp', '/sse'), transport: 'http-sse' }, '2024-11-05');
  });
});

describe('examples/apps/server.ts', () => {
  it('shows the same numbers to clients with and without apps', async () => {
    // Started from its source, because its page lies beside it.
    const { url, end } = await start('apps/server.ts', port => [String(port)], fromSource);
    const results = await Promise.all(
      [[appsExtension], []].map(async extensions => {
        const client = await connect(url, { extensions });
        const { content, structuredContent } = await client.callTool('showSales', { year: 2026 });
        const { contents } = await client.readResource('ui://sales/chart.html');
        await client.close();
        return { content, structuredContent, page: JSON.stringify(contents) };
      }),
    );
    expect(results[1]?.content).toEqual([{ type: 'text', text: expect.stringMatching(/^Sales of 2026\nJan: \d+\n/) }]);
    expect(results[0]?.structuredContent).toEqual(results[1]?.structuredContent);
    expect(results[0]?.page).toContain('ui/initialize');
    expect(await end()).toBe(0);
  });
});

describe('examples/mount/server.ts', () => {
  it.each(takeCover(versions.slice(1), isEnd))('serves the mounted names to a client of %s', async protocolVersion => {
    const { url, end } = await start('mount/server.ts', port => [String(port)]);
    const client = await connect(url, { protocolVersion });
    for (const [name, args, text] of [
      ['weather_forecast', { city: 'Oslo', days: 3 }, 'Sun in Oslo for 3 days'],
      ['today', { city: 'Oslo' }, 'Sun in Oslo for 1 days'],
      ['resources_read', { uri: 'city://weather/Oslo' }, 'Oslo has sun.'],
    ] as const)
      expect((await client.callTool(name, args)).content).toEqual([{ type: 'text', text }]);
    const { contents } = await client.readResource('city://weather/Oslo');
    expect(contents).toMatchObject([{ uri: 'city://weather/Oslo', text: 'Oslo has sun.' }]);
    await client.close();
    expect(await end()).toBe(0);
  });
});

describe('examples/skills/server.ts', () => {
  it('serves its folder', async () => {
    // Started from its source, because the folder lies beside it.
    const { url, end } = await start('skills/server.ts', port => [String(port)], fromSource);
    const client = await connect(url, { extensions: [skillsExtension] });
    const all = skillsOf(client);
    const { skills, errors } = await all.list();
    expect([skills.map(({ name }) => name), errors]).toEqual([['woodwork'], []]);
    for (const skill of skills) expect((await all.read(skill, 'references/joints.md')).verified).toBe(true);
    await client.close();
    expect(await end()).toBe(0);
  });
});

describe('examples/workers/server.ts', () => {
  it.each(takeCover(versions.slice(1), isEnd))('serves a client of %s', async version => {
    const { default: worker } = await import('../../examples/workers/server.ts');
    const fetch = (url: string, init?: RequestInit) => worker.fetch(new Request(url, init));
    await looksRight({ url: 'http://notes.example.com/mcp', transport: 'http', fetch: fetch as never }, version);
  });

  it('refuses another host name', async () => {
    const { default: worker } = await import('../../examples/workers/server.ts');
    const response = await worker.fetch(new Request('http://elsewhere.example.com/mcp', { method: 'POST' }));
    expect(response.status).toBe(403);
  });
});

describe('examples/notes/stdio.ts', () => {
  it.each(takeCover(versions, isEnd))('serves a client of %s', async version => {
    await looksRight({ command: process.execPath, args: example('notes/stdio.ts'), cwd: root }, version);
  });
});

describe('examples/ai/agent.ts', () => {
  it('calls tools of a host, one of which requests sampling of another model', async () => {
    const { output, errors, code } = await run(example('ai/agent.ts'), root, 60_000);
    expect(errors).toBe('');
    expect(code).toBe(0);
    expect(output.split('\n')).toEqual([
      'the agent calls notes__add',
      'the agent calls notes__add',
      'the agent calls notes__summarize',
      'notes asks scripted-small: {"type":"text","text":"Summarize: Glue the drawer on Friday; Buy hide glue"}',
      'I have added two notes. In short: buy glue before Friday.',
      '',
    ]);
  });
});

describe('examples/notes/client.ts', () => {
  it('prints the results of every feature of a client', async () => {
    const program = await start('notes/http.ts', port => ['--port', String(port)]);
    const { output, errors, code } = await run([...example('notes/client.ts'), program.url], root, 60_000);
    await program.end();
    expect(errors).toBe('');
    expect(code).toBe(0);
    // What is told of changes comes when it comes, between the other lines.
    const [notifications, rest] = [
      output.split('\n').filter(line => line.includes('changed:')),
      output.split('\n').filter(line => !line.includes('changed:')),
    ];
    expect(notifications).toContain("  changed: { uri: 'note://Glue' }");
    expect(rest).toEqual([
      'connected to notes with protocol version 2026-07-28',
      '  (the user is asked: Replace the note “Glue”?)',
      'replaced: true',
      'found: Mortise and tenon note://Mortise%20and%20tenon',
      'found: Dovetail note://Dovetail',
      '  1/2 Rebate',
      '  2/2 Dovetail',
      'imported 1 skipped 1',
      "[ { type: 'text', text: 'You asked of 116 characters.' } ]",
      "{ values: [ 'Dovetail' ], total: 1, hasMore: false }",
      '3 messages',
      '',
    ]);
  });
});

describe('examples/openapi/server.ts', () => {
  it('serves the operations of its document', async () => {
    // Started from its source, because the document lies beside it.
    const { url, end } = await start('openapi/server.ts', port => [String(port)], fromSource);
    const client = await connect(url);
    const { structuredContent } = await client.callTool('addBook', { body: { title: 'Persuasion' } });
    expect(structuredContent).toEqual({ id: 3, title: 'Persuasion' });
    expect((await client.callTool('findBooks', { title: 'pers' })).content).toEqual([
      { type: 'text', text: '[{"id":3,"title":"Persuasion"}]' },
    ]);
    expect((await client.readResource('library:///books/1')).contents).toMatchObject([
      { text: '{"id":1,"title":"Emma"}' },
    ]);
    await client.close();
    expect(await end()).toBe(0);
  });
});
