import { existsSync } from 'node:fs';
import { createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTarget } from '../../packages/cli/src/target/target-reference.js';
import { buildCommand, projectWith, runTenon, shopEntry, tenon } from './command.js';
import { writeBundle } from './fixtures/write-bundle.js';

let clear = async () => {};
let project: Awaited<ReturnType<typeof projectWith>>;
let remote: HttpServer;
beforeAll(async () => {
  clear = await buildCommand();
  project = await projectWith({ shop: shopEntry() });
  const ping = tool({ run: () => 'pong' });
  remote = await serveHttp(createServer({ name: 'remote', version: '1.0.0', tools: { ping } }), { port: 0 });
  const library = new URL('../../packages/tenon/dist/esm/index.node.js', import.meta.url).href;
  await project.write(
    'server.mjs',
    `import { createServer, tool } from '${library}';
     const create = name => createServer({ name, version: '1', tools: { ping: tool({ run: () => name }) } });
     export default create('one');
     export const other = create('other');`,
  );
});
afterAll(async () => {
  await remote.close();
  await Promise.all([project.remove(), clear()]);
});

/** Commands with a target, and the arguments after it. */
const commands: readonly (readonly [name: string, rest: readonly string[]])[] = [
  ['list', []],
  ['call', ['ping']],
  ['read', ['x://y']],
  ['prompt', ['x']],
  ['complete', ['x', 'y=z']],
  ['subscribe', ['--tools']],
  ['tasks', ['list']],
  ['types', []],
  ['doctor', []],
  ['conformance', []],
];

describe('the target of a command', () => {
  it.each([
    ['https://example.com/mcp', { kind: 'url', url: 'https://example.com/mcp' }],
    ['shop', { kind: 'name', name: 'shop' }],
    ['./server.mjs', { kind: 'file', path: expect.stringMatching(/server\.mjs$/) }],
    ['server.mjs#other', { kind: 'file', path: expect.stringMatching(/server\.mjs$/), exported: 'other' }],
    ['io.github.example/notes', { kind: 'registry', name: 'io.github.example/notes', version: 'latest' }],
    ['com.example/notes@1.2.3', { kind: 'registry', name: 'com.example/notes', version: '1.2.3' }],
  ])('%s has one meaning [cli.target]', (text, expected) => {
    expect(parseTarget(text, project.folder)).toEqual(expected);
  });

  it.each(commands)('is read alike by tenon %s [cli.target]', async (name, rest) => {
    const env = { TENON_REGISTRY_URL: 'http://127.0.0.1:9' };
    for (const [text, code, part] of [
      ['./missing.ts', 2, 'file not found'],
      ['ftp://example.com', 2, 'invalid URL of a server'],
      ['no-such-server', 2, 'no-such-server'],
      ['com.example/none', 4, 'the registry did not answer'],
      // The suite is no part of the project.
      ['http://127.0.0.1:9/mcp', ...(name === 'conformance' ? ([2, 'not installed'] as const) : ([4, ':9'] as const))],
    ] as const) {
      const ended = await runTenon(project.folder, [name, text, ...rest], env);
      expect([name, text, ended.code, ended.out + ended.err]).toEqual([
        name,
        text,
        code,
        expect.stringContaining(part),
      ]);
    }
  });

  it('has the same forms for another command, as a process [cli.target]', async () => {
    await writeBundle(project.path('boxed.mcpb'));
    const types = (...args: string[]) => tenon(project.folder, ['types', '--trust', ...args]);
    await tenon(project.folder, ['list', remote.url, '--wire', 'wire.ndjson']);
    const { command, args } = shopEntry();
    const ended = await Promise.all([
      types(remote.url),
      types('shop'),
      types('server.mjs#other'),
      types('wire.ndjson'),
      types('boxed.mcpb'),
      types('--', command, ...args),
    ]);
    for (const { code, out, err } of ended) expect([code, out], err).toEqual([0, expect.stringContaining('Types {')]);
    const registry = { TENON_REGISTRY_URL: 'http://127.0.0.1:9' };
    expect((await tenon(project.folder, ['types', 'com.example/none'], registry)).code).toBe(4);
  });

  it('is a server in each form, also for the built command [cli.target]', async () => {
    const list = (...args: string[]) => tenon(project.folder, ['list', '--json', '--trust', ...args]);
    const recorded = await tenon(project.folder, ['list', remote.url, '--wire', 'calls.ndjson']);
    expect([recorded.code, existsSync(project.path('calls.ndjson'))]).toEqual([0, true]);
    await writeBundle(project.path('notes.mcpb'));
    const [command, ...args] = [shopEntry().command, ...shopEntry().args];
    const ended = await Promise.all([
      list(remote.url),
      list('shop'),
      list('server.mjs#other'),
      list('calls.ndjson'),
      list('notes.mcpb'),
      list('--', command, ...args),
    ]);
    for (const { code, out, err } of ended) {
      expect(code, err).toBe(0);
      expect(JSON.parse(out).tools).not.toEqual([]);
    }
  });
});
