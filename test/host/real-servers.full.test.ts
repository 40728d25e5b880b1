import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installRuntimes, runtimes } from '../../scripts/runtimes.mjs';
import { getText } from '../interop/collect.js';
import { root } from '../interop/process.js';
import { retryUntilPasses } from '../interop/retry.js';
import { connectSdkV1 } from '../interop/sdk-v1-client.js';
import { connectSdkV2 } from '../interop/sdk-v2-client.js';
import { isFull, takeCover } from '../support/extent.js';
import { connectOwnClient, type GatewayClient, wrapSdkClient } from './gateway-client.js';
import { inspect } from './inspector.js';
import {
  type StartedGateway,
  startGatewayTo,
  startThirdPartyServers,
  type ThirdPartyServers,
} from './third-party-servers.js';

const newest = '2026-07-28';
let around: ThirdPartyServers;
let gateway: StartedGateway;

beforeAll(async () => {
  await installRuntimes();
  around = await startThirdPartyServers();
  gateway = await startGatewayTo(around);
}, 300_000);
afterAll(async () => {
  await gateway.close();
  await around.close();
});

const process_ = (args: readonly string[]) => ({ command: process.execPath, args, cwd: root });
const auto = { versionNegotiation: { mode: 'auto' as const } };

/** Who comes, and how. */
const guests: { readonly [who: string]: () => Promise<GatewayClient> } = {
  'our client over HTTP, 2026-07-28': () => connectOwnClient(gateway.http.url, newest),
  'our client over HTTP, 2025-11-25': () => connectOwnClient(gateway.http.url, '2025-11-25'),
  'our client over HTTP, 2025-06-18': () => connectOwnClient(gateway.http.url, '2025-06-18'),
  'our client over stdio, 2026-07-28': () => connectOwnClient(process_(gateway.stdio), newest),
  'our client over stdio, 2025-11-25': () => connectOwnClient(process_(gateway.stdio), '2025-11-25'),
  'SDK v1 over HTTP': async () => wrapSdkClient(await connectSdkV1({ url: gateway.http.url })),
  'SDK v1 over HTTP+SSE': async () => wrapSdkClient(await connectSdkV1({ sseUrl: gateway.http.sseUrl ?? '' })),
  'SDK v1 over stdio': async () => wrapSdkClient(await connectSdkV1({ args: gateway.stdio })),
  'SDK v2 over HTTP, with a handshake': async () => wrapSdkClient(await connectSdkV2({ url: gateway.http.url })),
  'SDK v2 over HTTP, each request for itself': async () =>
    wrapSdkClient(await connectSdkV2({ url: gateway.http.url }, auto)),
  'SDK v2 over stdio, with a handshake': async () => wrapSdkClient(await connectSdkV2({ args: gateway.stdio })),
  'SDK v2 over stdio, each request for itself': async () =>
    wrapSdkClient(await connectSdkV2({ args: gateway.stdio }, auto)),
};
const servers = ['everything', 'filesystem', 'memory', 'newest', 'sessioned', 'notes'];

/** Each library, version of it, transport and way to open is here once at least. */
const cover = [
  'our client over HTTP, 2026-07-28',
  'SDK v1 over HTTP+SSE',
  'SDK v2 over stdio, each request for itself',
];

describe.each(takeCover(Object.keys(guests), who => cover.includes(who)))('%s', who => {
  const isStateless = /2026|itself/.test(who);
  let gatewayClient: GatewayClient;
  beforeAll(async () => {
    gatewayClient = await (guests[who] as () => Promise<GatewayClient>)();
  });
  afterAll(() => gatewayClient.close());

  it('lists the entries of all servers', async () => {
    const tools = await gatewayClient.list('tools');
    for (const tool of [
      'everything__echo',
      'filesystem__read_text_file',
      'memory__read_graph',
      'newest__add',
      'sessioned__add',
      'notes__search',
    ])
      expect(tools).toContain(tool);
    expect(new Set(tools).size).toBe(tools.length);
    expect([...new Set(tools.map(name => name.split('__')[0]))]).toEqual(servers);
    expect((await gatewayClient.list('prompts')).sort()).toEqual([
      'everything__args-prompt',
      'everything__completable-prompt',
      'everything__resource-prompt',
      'everything__simple-prompt',
      'newest__letter',
      'notes__review',
      'sessioned__letter',
    ]);
    const resources = await gatewayClient.list('resources');
    expect(resources).toEqual(
      expect.arrayContaining([
        'memory://knowledge-graph',
        'demo://resource/static/document/features.md',
        'tenon:newest/note://all',
        'tenon:sessioned/note://all',
        'note://Dovetail',
      ]),
    );
    expect(await gatewayClient.list('templates')).toContain('demo://resource/dynamic/text/{resourceId}');
  });

  it('calls a tool of each server', async () => {
    expect(getText(await gatewayClient.call('everything__echo', { message: 'ü 🜚' }))).toBe('Echo: ü 🜚');
    const path = join(around.folder, 'hello.txt');
    expect(getText(await gatewayClient.call('filesystem__read_text_file', { path }))).toBe('hello from a file');
    expect((await gatewayClient.call('memory__read_graph')).structuredContent).toMatchObject({
      entities: expect.any(Array),
    });
    for (const server of ['newest', 'sessioned'])
      expect((await gatewayClient.call(`${server}__add`, { a: 2, b: 40 })).structuredContent).toEqual({ sum: 42 });
    expect(JSON.stringify(await gatewayClient.call('notes__search', { words: 'tenon' }))).toContain('Mortise');
    expect(await gatewayClient.call('newest__fails')).toMatchObject({ isError: true });
    await expect(gatewayClient.call('nobody__echo')).rejects.toThrow(/Unknown tool/);
  });

  it('reads resources, gets prompts and completes arguments', async () => {
    expect(await gatewayClient.read('demo://resource/dynamic/text/7')).toContain('Resource 7');
    expect(await gatewayClient.read('memory://knowledge-graph')).toContain('entities');
    for (const server of ['newest', 'sessioned'])
      expect(await gatewayClient.read(`tenon:${server}/note://by/a`)).toContain('first');
    expect(await gatewayClient.read('note://Dovetail')).toContain('drawers');
    await expect(gatewayClient.read('nowhere://at/all')).rejects.toThrow(/not found/i);
    expect(await gatewayClient.prompt('everything__args-prompt', { city: 'Oslo' })).toContain('Oslo');
    expect(await gatewayClient.prompt('newest__letter', { to: 'Ada' })).toContain('A letter to Ada');
    expect(
      await gatewayClient.complete(
        { type: 'ref/prompt', name: 'everything__completable-prompt' },
        { name: 'department', value: 'S' },
      ),
    ).toEqual(['Sales', 'Support']);
    expect(
      await gatewayClient.complete({ type: 'ref/prompt', name: 'newest__letter' }, { name: 'to', value: 'A' }),
    ).toEqual(['Ada', 'Alan']);
    expect(
      await gatewayClient.complete(
        { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
        { name: 'resourceId', value: '5' },
      ),
    ).toEqual(['5']);
  });

  it('receives progress', async () => {
    const seen: number[] = [];
    const input = { duration: 0.4, steps: 4 };
    await gatewayClient.call('everything__trigger-long-running-operation', input, progress => seen.push(progress));
    // The server asks for roots when it likes. To answer, this guest asks anew, and tells what it heard before once more.
    const mayRepeat = who.startsWith('SDK v2') && who.endsWith('each request for itself');
    expect((mayRepeat ? [...new Set(seen)] : seen).slice(0, 3)).toEqual([1, 2, 3]);
  });

  it('responds to input requests of servers', async () => {
    const sampled = await gatewayClient.call('everything__trigger-sampling-request', {
      prompt: 'hello',
      maxTokens: 10,
    });
    expect(getText(sampled)).toContain('You said: Resource trigger-sampling-request context: hello');
    expect(getText(await gatewayClient.call('everything__trigger-elicitation-request'))).toContain('Name: Ada');
    expect(getText(await gatewayClient.call('everything__get-roots-list'))).toContain('file:///work');
    for (const server of ['newest', 'sessioned']) {
      expect(getText(await gatewayClient.call(`${server}__ask`))).toContain('Ada');
      expect(getText(await gatewayClient.call(`${server}__think`))).toContain('You said: hello');
      expect(getText(await gatewayClient.call(`${server}__where`))).toContain('file:///work');
    }
    expect(gatewayClient.requests).toEqual(
      expect.arrayContaining(['sample', 'roots', expect.stringMatching(/^form .*everything/)]),
    );
  });

  it('receives changes of a resource', async () => {
    const uri = 'memory://knowledge-graph';
    const leave = await gatewayClient.subscribe(uri);
    const name = `${who} ${Math.random()}`;
    await retryUntilPasses(async () => {
      await gatewayClient.call('memory__create_entities', {
        entities: [{ name: `${name} ${Math.random()}`, entityType: 'guest', observations: [] }],
      });
      expect(gatewayClient.getNotifications()).toContainEqual(`change ${JSON.stringify({ uri })}`);
    });
    await leave();
    expect(await gatewayClient.read(uri)).toContain(name.slice(0, 8));
  });

  it.runIf(!isStateless)('receives log messages', async () => {
    await gatewayClient.logLevel('debug');
    await gatewayClient.call('everything__toggle-simulated-logging');
    await retryUntilPasses(() => expect(gatewayClient.getNotifications().join()).toMatch(/-level|Alert level/));
    await gatewayClient.call('everything__toggle-simulated-logging');
  });
});

describe('MCP Inspector on the command line', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tenon-host-'));
  });
  afterAll(() => rm(home, { recursive: true, maxRetries: 10 }));
  const connections: { readonly [transport: string]: () => readonly string[] } = {
    'over HTTP, with a handshake': () => [gateway.http.url],
    'over HTTP, each request for itself': () => [gateway.http.url, '--protocol-era', 'modern'],
    'over stdio': () => [process.execPath, ...gateway.stdio],
  };

  it.runIf(isFull).each(Object.keys(connections))(
    'lists, calls, reads and gets prompts over %s',
    async transport => {
      const ask = (method: string, ...more: string[]) =>
        inspect(runtimes.node24, home, (connections[transport] as () => readonly string[])(), method, ...more);
      const names = JSON.stringify(await ask('tools/list'));
      for (const server of servers) expect(names).toContain(`${server}__`);
      for (const [tool, arg, text] of [
        ['everything__echo', 'message=hello', 'Echo: hello'],
        ['filesystem__read_text_file', `path=${join(around.folder, 'hello.txt')}`, 'hello from a file'],
        ['notes__search', 'words=tenon', 'Mortise'],
      ] as const)
        expect(JSON.stringify(await ask('tools/call', '--tool-name', tool, '--tool-arg', arg))).toContain(text);
      // Each question starts a gateway and all of its servers there.
      if (transport === 'over stdio') return;
      expect(JSON.stringify(await ask('resources/read', '--uri', 'tenon:newest/note://by/a'))).toContain('first');
      const prompt = await ask('prompts/get', '--prompt-name', 'everything__args-prompt', '--prompt-args', 'city=Oslo');
      expect(JSON.stringify(prompt)).toContain('Oslo');
    },
    120_000,
  );
});
