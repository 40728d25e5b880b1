import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, tool } from 'tenon';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTarget } from '../../packages/cli/src/target/target-reference.js';
import { root } from '../docs/pages.js';
import { isFull } from '../support/extent.js';
import { buildCommand, projectWith, runTenon, shopEntry, tenon } from './command.js';
import { writeBundle } from './fixtures/write-bundle.js';

const define = `createServer({ name: 'own', version: '1', tools: { ping: tool({ run: () => 'own' }) } })`;
let project: Awaited<ReturnType<typeof projectWith>>;
let remote: HttpServer;
beforeAll(async () => {
  await buildCommand();
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
  const entry = (name: string) =>
    JSON.stringify(new URL(`../../packages/tenon/dist/${name}`, import.meta.url).pathname);
  await project.write(
    'http.mjs',
    `import { createServer, tool } from '${library}';
     import { serveHttp } from ${entry('esm/node.js')};
     export const server = ${define};
     console.log((await serveHttp(server, { port: 0 })).url);`,
  );
  await project.write(
    'stdio.mjs',
    `import { serveStdio } from ${entry('esm/stdio.js')};
     import { createServer, tool } from '${library}';
     export const server = ${define};
     await serveStdio(server);`,
  );
  await project.write(
    'server.cjs',
    `const { createServer, tool } = require(${entry('cjs/index.node.js')});
     if (globalThis.isLoaded) process.exit(1);
     globalThis.isLoaded = true;
     exports.server = ${define};`,
  );
});
afterAll(async () => {
  await remote.close();
  await project.remove();
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
  ])('is classified in one way: %s [cli.target]', (text, expected) => {
    expect(parseTarget(text, project.folder)).toEqual(expected);
  });

  it.each(commands)('is parsed alike by tenon %s [cli.target]', async (name, rest) => {
    const env = { TENON_REGISTRY_URL: 'http://127.0.0.1:9' };
    for (const [text, code, part] of [
      ['./missing.ts', 2, 'file not found'],
      ['ftp://example.com', 2, 'invalid URL of a server'],
      ['no-such-server', 2, 'no-such-server'],
      ['127.0.0.1:9/mcp', 2, 'http://127.0.0.1:9/mcp'],
      ['com.example/none', 4, 'the registry did not answer'],
      // It has the form of a registry name too.
      ['example.com/mcp', 4, 'https://example.com/mcp for the server at this URL'],
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

  it.runIf(isFull)('has the same forms for another command, as a process [cli.target]', async () => {
    await writeBundle(project.path('boxed.mcpb'));
    const types = (...args: string[]) => tenon(project.folder, ['types', '--trust', ...args]);
    await runTenon(project.folder, ['list', remote.url, '--wire', 'wire.ndjson']);
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
    expect((await runTenon(project.folder, ['types', 'com.example/none'], registry)).code).toBe(4);
  });

  it('leads to a server in each form, also for the built command [cli.target]', async () => {
    // A file is served by a process of the built command.
    const list = (target: string, ...args: string[]) =>
      (target.includes('#') ? tenon : runTenon)(project.folder, ['list', '--json', '--trust', target, ...args]);
    const recorded = await runTenon(project.folder, ['list', remote.url, '--wire', 'calls.ndjson']);
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

  it.each([
    ['server.mjs', 'one'],
    ['server.cjs', 'own'],
    // It prints its URL on standard output.
    ['http.mjs', 'own'],
    ['stdio.mjs', 'own'],
  ])('may be a file that exports or serves a server: %s [cli.target]', async (file, text) => {
    const { code, out, err } = await tenon(project.folder, ['call', file, 'ping']);
    expect([code, out.trim()], err).toEqual([0, text]);
  });

  it.runIf(isFull)('may be TypeScript that is compiled to CommonJS [cli.target] [cli.serve]', async () => {
    const folder = await mkdtemp(join(root, 'packages/cli/.cache/commonjs-'));
    try {
      await writeFile(join(folder, 'package.json'), '{}');
      await writeFile(
        join(folder, 'server.ts'),
        `import { createServer, tool } from 'tenon';
         export const admin: object = ${define};
         export default ${define};`,
      );
      for (const target of ['server.ts#admin', 'server.ts']) {
        const { code, out, err } = await tenon(folder, ['call', target, 'ping']);
        expect([target, code, out.trim()], err).toEqual([target, 0, 'own']);
      }
    } finally {
      await rm(folder, { recursive: true, maxRetries: 10 });
    }
  });

  it('reports the error of a file, once, and the end of one without a server [cli.target]', async () => {
    await project.write('broken.mjs', 'throw new Error("boom")');
    await project.write('empty.mjs', 'export const server = 1;');
    const [broken, empty] = await Promise.all(
      ['broken.mjs', 'empty.mjs'].map(file => runTenon(project.folder, ['list', file])),
    );
    expect(broken?.code).toBe(4);
    expect(broken?.err.match(/Error: boom/g)).toHaveLength(1);
    expect([empty?.code, empty?.err]).toEqual([4, expect.stringContaining('exited with code 0')]);
  });
});
