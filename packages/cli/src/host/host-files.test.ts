import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CliContext } from '../cli-context.js';
import { getHostFile } from '../mcp-hosts/hosts/host-paths.js';
import { mcpHosts } from '../mcp-hosts/hosts/mcp-hosts.js';
import { setPlannedServer } from '../mcp-hosts/plan-change.js';
import { findConfiguredServer } from './find-configured-server.js';
import { createStubContext, type StubContext } from './fixtures/stub-context.js';
import { readConfiguration } from './read-configuration.js';

let folder: string;
let stub: StubContext;
let context: CliContext;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-files-'));
  stub = createStubContext(join(folder, 'project'), () => 'typed');
  await mkdir(join(folder, 'project'));
  context = { ...stub.context, env: { HOME: folder, USERPROFILE: folder, TOKEN: 'typed' } };
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 10 }));

const places = () => ({ platform: 'linux' as const, home: folder, env: {}, cwd: join(folder, 'project') });
const notes = { command: 'node', args: ['notes.js'], env: { TOKEN: '$' + '{TOKEN}', MODE: 'dev' } };

async function write(file: string, text: string) {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

/** Writes the configuration that `tenon add` writes for a host, with a server of the name of the host. */
async function addServer(id: string, scope: 'user' | 'project'): Promise<string | undefined> {
  const host = mcpHosts.find(each => each.id === id);
  const file = host && getHostFile(host, scope, places());
  if (!host || file === undefined) return undefined;
  const empty = { host, file, before: undefined, after: '', actions: [], targets: new Map(), unread: new Map() };
  await write(file, setPlannedServer(empty, id, notes).after);
  return file;
}

describe.skipIf(process.platform === 'win32')('the files of MCP hosts', () => {
  it.each(mcpHosts.map(({ id }) => id))('contain servers that commands find by name: %s [cli.target]', async id => {
    await addServer(id, 'user');
    const { target } = await findConfiguredServer(context, id, {});
    // A host that replaces no variables has a text that the user is to replace.
    const { text, envNames } = mcpHosts.find(each => each.id === id)?.variables ?? {};
    const token = text === undefined && envNames === undefined ? '<TOKEN>' : 'typed';
    expect(target).toMatchObject({ command: 'node', args: ['notes.js'], env: { TOKEN: token, MODE: 'dev' } });
    expect(stub.notes).toEqual([]);
  });

  it.each(mcpHosts.filter(({ project }) => project.length > 0).map(({ id }) => id))(
    'contain servers of a project that the gateway serves after approval: %s',
    async id => {
      await addServer(id, 'project');
      const { entries, files } = await readConfiguration(context, []);
      expect(files).toHaveLength(1);
      expect(entries.map(({ name, origin }) => [name, origin?.scope])).toEqual([[id, 'project']]);
    },
  );

  it('may contain no servers, or mistakes, which affect no other file', async () => {
    await addServer('cursor', 'project');
    await write(join(folder, 'project/opencode.json'), '{ "theme": "dark" }');
    await write(join(folder, 'project/.codex/config.toml'), 'a = = 1\n');
    const { entries, files } = await readConfiguration(context, []);
    expect([entries.map(({ name }) => name), files]).toEqual([['cursor'], [join(folder, 'project/.cursor/mcp.json')]]);
    expect(stub.notes).toEqual([expect.stringContaining('config.toml: line 1: ')]);
  });

  it('cause errors with the line of a mistake in TOML and YAML', async () => {
    const mistakes = [
      [
        'a.toml',
        'x = 1\n\n[mcp_servers.n]\ncommand = "a"\nargs = [1, "b", {}]\n[mcp_servers.m.env]\nA = "1"\n',
        ':5: ',
        ':6: ',
      ],
      [
        'b.yaml',
        'x: 1\nextensions:\n  n:\n    type: stdio\n    cmd: a\n    args: { b: 1 }\n  m:\n    type: stdio\n',
        ':6: ',
        ':8: ',
      ],
    ] as const;
    for (const [name, text, first, second] of mistakes) {
      await write(join(folder, 'project', name), text);
      stub.notes.length = 0;
      await readConfiguration(context, [name]);
      expect(stub.notes, name).toEqual([expect.stringContaining(name + first), expect.stringContaining(name + second)]);
    }
  });
});
