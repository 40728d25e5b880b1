import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installRuntimes, runtimes } from '../../scripts/runtimes.mjs';
import { importNotes } from '../support/import-notes.js';
import { bundleProgram, root } from './process.js';

const inspector = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url),
);
/** What the Inspector prints, as far as it is looked at. */
interface Result {
  readonly tools?: readonly { readonly name: string }[];
  readonly resources?: readonly { readonly uri: string }[];
  readonly messages?: readonly unknown[];
}

const stdio = [process.execPath, ...bundleProgram(new URL('../../examples/notes/stdio.ts', import.meta.url))];

/** MCP Inspector on the command line, once per call as people use it, with a home of its own. It needs Node 22.19. */
describe('MCP Inspector with the notes server', () => {
  let home: string;
  let http: HttpServer;

  beforeAll(async () => {
    await installRuntimes();
    home = await mkdtemp(join(tmpdir(), 'tenon-interop-'));
    http = await serveHttp(await importNotes(), { port: 0 });
  }, 300_000);
  afterAll(async () => {
    await http.close({ timeout: 0 });
    await rm(home, { recursive: true, maxRetries: 10 });
  });

  const inspect = async (target: readonly string[], method: string, ...more: string[]): Promise<Result> => {
    const args = [inspector, '--cli', ...target, '--method', method, '--format', 'json', '--quiet', ...more];
    const { stdout } = await promisify(execFile)(runtimes.node24, args, {
      cwd: root,
      env: { ...process.env, HOME: home },
    });
    return (JSON.parse(stdout) as { result: Result }).result;
  };

  const connections: Record<string, () => readonly string[]> = {
    stdio: () => stdio,
    'Streamable HTTP': () => [http.url],
  };

  describe.each(Object.keys(connections))('over %s', transport => {
    const ask = (method: string, ...more: string[]) =>
      inspect((connections[transport] as () => readonly string[])(), method, ...more);

    it('lists and calls tools', async () => {
      const [{ tools }, found] = await Promise.all([
        ask('tools/list'),
        ask('tools/call', '--tool-name', 'search', '--tool-arg', 'words=tenon'),
      ]);
      expect(tools?.map(({ name }) => name)).toEqual(['write', 'search', 'show', 'summarize', 'import', 'remove']);
      expect(JSON.stringify(found)).toContain('note://Mortise%20and%20tenon');
    });

    it('lists and reads resources', async () => {
      const [listed, read] = await Promise.all([
        ask('resources/list'),
        ask('resources/read', '--uri', 'note://Dovetail'),
      ]);
      expect(listed.resources?.map(({ uri }) => uri)).toEqual([
        'notebook://index',
        'note://Mortise%20and%20tenon',
        'note://Dovetail',
      ]);
      expect(read).toMatchObject({ contents: [{ uri: 'note://Dovetail', text: expect.stringContaining('drawers') }] });
    });

    it('lists and gets prompts', async () => {
      const [listed, got] = await Promise.all([
        ask('prompts/list'),
        ask('prompts/get', '--prompt-name', 'review', '--prompt-args', 'tag=joinery', 'tone=blunt'),
      ]);
      expect(listed).toMatchObject({
        prompts: [{ name: 'review', arguments: [{ name: 'tag', required: true }, { name: 'tone' }] }],
      });
      expect(got.messages?.[0]).toMatchObject({ content: { text: expect.stringContaining('Be blunt') } });
    });
  });

  it('connects on a stateless version', async () => {
    const modern = ['--protocol-era', 'modern'];
    const [called, read, listed] = await Promise.all([
      inspect([http.url], 'tools/call', ...modern, '--tool-name', 'search', '--tool-arg', 'words=tenon'),
      inspect([http.url], 'resources/read', ...modern, '--uri', 'note://Dovetail'),
      inspect(stdio, 'prompts/list', ...modern),
    ]);
    expect(called).toMatchObject({ structuredContent: [{ title: 'Mortise and tenon' }] });
    expect(read).toMatchObject({ contents: [{ text: expect.stringContaining('drawers') }] });
    expect(listed).toMatchObject({ prompts: [{ name: 'review' }] });
  });

  it('negotiates by itself, supports HTTP+SSE, and reports no problem of the schemas', async () => {
    const [auto, sse, strict] = await Promise.all([
      inspect([http.url], 'resources/templates/list', '--protocol-era', 'auto'),
      inspect([http.sseUrl ?? ''], 'tools/call', '--tool-name', 'show', '--tool-arg', 'title=Dovetail'),
      inspect([http.url], 'tools/list', '--strict'),
    ]);
    expect(auto).toMatchObject({ resourceTemplates: [{ uriTemplate: 'note://{title}' }] });
    expect(JSON.stringify(sse)).toContain('resource_link');
    expect(strict.tools).toHaveLength(6);
  });
});
