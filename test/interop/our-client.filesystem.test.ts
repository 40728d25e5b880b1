import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Client, connect, type Root } from 'tenon';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, getText } from './collect.js';
import { createStdioPeer, findOfficialServer, waitForExit } from './process.js';
import { retryUntilPasses } from './retry.js';
import type { FilesystemServer } from './server-types.js';

const filesystem = findOfficialServer('server-filesystem');

describe('server-filesystem over stdio', () => {
  let folder: string;
  let client: Client<FilesystemServer>;
  const peer = () => createStdioPeer([filesystem, folder]);
  const at = (...names: string[]) => join(folder, ...names);
  const content = async (tool: `${string}_${string}`, input: Record<string, unknown>) => {
    const result = await client.tools[tool]?.(input);
    return result?.content ?? '';
  };

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'tenon-interop-')));
    client = await connect<FilesystemServer>(peer().target);
  });

  afterAll(async () => {
    await client.close();
    await rm(folder, { recursive: true, maxRetries: 10 });
  });

  it('lists its tools, each with an output schema', async () => {
    expect(client.server).toMatchObject({ protocolVersion: '2025-11-25', info: { name: 'secure-filesystem-server' } });
    const tools = await collect(client.listTools());
    expect(tools).toHaveLength(14);
    expect(tools.filter(tool => tool.outputSchema === undefined).map(({ name }) => name)).toEqual([]);
    expect(tools.filter(tool => tool.annotations?.readOnlyHint).length).toBeGreaterThan(5);
  });

  it('works with files through every tool', async () => {
    await content('create_directory', { path: at('notes') });
    await content('write_file', { path: at('notes', 'a.txt'), content: 'one\ntwo\nthree\n' });
    expect(await content('read_text_file', { path: at('notes', 'a.txt'), head: 2 })).toBe('one\ntwo');
    expect(await content('read_file', { path: at('notes', 'a.txt') })).toBe('one\ntwo\nthree\n');
    expect(
      await content('edit_file', { path: at('notes', 'a.txt'), edits: [{ oldText: 'two', newText: 'TWO' }] }),
    ).toContain('+TWO');
    expect(await readFile(at('notes', 'a.txt'), 'utf8')).toBe('one\nTWO\nthree\n');
    await content('move_file', { source: at('notes', 'a.txt'), destination: at('notes', 'b.txt') });
    expect(await content('list_directory', { path: at('notes') })).toBe('[FILE] b.txt');
    expect(await content('list_directory_with_sizes', { path: at('notes') })).toContain('b.txt');
    expect(JSON.parse(await content('directory_tree', { path: folder }))).toEqual([
      { name: 'notes', type: 'directory', children: [{ name: 'b.txt', type: 'file' }] },
    ]);
    expect(await content('search_files', { path: folder, pattern: '**/*.txt' })).toBe(at('notes', 'b.txt'));
    expect(await content('get_file_info', { path: at('notes', 'b.txt') })).toContain('size: 14');
    expect(await content('read_multiple_files', { paths: [at('notes', 'b.txt'), at('none.txt')] })).toMatch(
      /TWO[\s\S]*Error/,
    );
    expect(await content('list_allowed_directories', {})).toContain(folder);
  });

  it('returns media in the fitting content block, and a megabyte in one line', async () => {
    await writeFile(at('tone.wav'), 'RIFF');
    await writeFile(at('dot.png'), 'PNG');
    await writeFile(at('thing.bin'), Buffer.alloc(1024 * 1024, 7));
    const block = async (name: string) => (await client.callTool('read_media_file', { path: at(name) })).content[0];
    expect(await block('tone.wav')).toMatchObject({ type: 'audio', mimeType: 'audio/wav' });
    expect(await block('dot.png')).toMatchObject({ type: 'image', mimeType: 'image/png' });
    const { resource } = (await block('thing.bin')) as { resource: { blob: string } };
    expect(Buffer.from(resource.blob, 'base64')).toHaveLength(1024 * 1024);
  });

  it('refuses paths outside its directories', async () => {
    const result = await client.callTool('read_text_file', { path: '/etc/hostname' });
    expect(result).toMatchObject({ isError: true });
    expect(getText(result)).toContain('Access denied');
  });

  it('gets its directories as roots, and their changes', async () => {
    await mkdir(at('first'));
    await mkdir(at('second'));
    let roots: Root[] = [{ uri: pathToFileURL(at('first')).href }];
    const { target, pid } = createStdioPeer([filesystem]);
    const rooted = await connect(target, { roots: () => roots });
    const allowed = async () => getText(await rooted.callTool('list_allowed_directories'));
    await retryUntilPasses(async () => expect(await allowed()).toContain(at('first')));
    roots = [{ uri: pathToFileURL(at('second')).href }];
    await rooted.notifyRootsChanged();
    await retryUntilPasses(async () => expect(await allowed()).toContain(at('second')));
    expect(await allowed()).not.toContain(at('first'));
    await rooted.close();
    await waitForExit(pid());
  });
});
