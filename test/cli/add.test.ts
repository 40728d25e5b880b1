import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon } from './command.js';

beforeAll(async () => {
  await buildCommand();
}, 60_000);

it('adds, copies and removes a server as a process without a terminal [cli.add] [cli.remove] [cli.sync]', async () => {
  const project = await projectWith({ x: { command: 'y' } });
  const { folder, path } = project;
  const env = { HOME: folder, USERPROFILE: folder, XDG_CONFIG_HOME: '', APPDATA: '' };
  const run = (...args: string[]) => runTenon(folder, args, env);
  try {
    const refused = await run('add', 'notes', '--', 'node', 'a.js');
    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no installed host found') });
    const added = await run(
      'add',
      'notes',
      '--host',
      'claude-code,codex',
      '--json',
      '--env',
      'T',
      '--',
      'node',
      'a.js',
    );
    expect([added.code, added.err, JSON.parse(added.out).changes.length]).toEqual([0, '', 2]);
    expect(await readFile(path('.codex/config.toml'), 'utf8')).toBe(
      '[mcp_servers.notes]\ncommand = "node"\nargs = ["a.js"]\nenv_vars = ["T"]\n',
    );
    const copied = await run('sync', '--from', 'claude-code', '--host', 'kiro', '--yes');
    expect([copied.code, copied.out]).toEqual([0, `Kiro: added notes to ${join(folder, '.kiro/settings/mcp.json')}\n`]);
    // Nothing is left to change.
    const again = await run('sync', '--from', 'claude-code', '--host', 'kiro', '--json', '--no-input');
    expect([again.code, again.err, JSON.parse(again.out).changes]).toMatchObject([
      0,
      '',
      [{ actions: [{ action: 'keep' }] }],
    ]);
    const removed = await run('remove', 'notes', '--all');
    expect([removed.code, removed.out.trim().split('\n').length]).toEqual([0, 3]);
    expect(await readFile(path('.codex/config.toml'), 'utf8')).toBe('');
  } finally {
    await project.remove();
  }
}, 60_000);

it('keeps comments and order, shows a diff, writes a back-up, pins a version, and writes no secret [cli.add] [cli.remove] [cli.sync]', async () => {
  const project = await projectWith({});
  const { folder, path } = project;
  const npm = createServer((request, response) => {
    response.writeHead(request.url === '/notes-mcp' ? 200 : 404, { 'content-type': 'application/json' });
    const versions = { '1.4.2': { name: 'notes-mcp', version: '1.4.2', dist: {} } };
    response.end(JSON.stringify({ name: 'notes-mcp', 'dist-tags': { latest: '1.4.2' }, versions }));
  }).listen(0, '127.0.0.1');
  await once(npm, 'listening');
  const env = {
    ...{ HOME: folder, USERPROFILE: folder, XDG_CONFIG_HOME: '', APPDATA: '', NOTES_TOKEN: 'token-secret' },
    npm_config_registry: `http://127.0.0.1:${(npm.address() as AddressInfo).port}`,
    npm_config_cache: path('cache'),
  };
  const run = (...args: string[]) => runTenon(folder, [...args, '--no-input'], env);
  const file = path('.cursor/mcp.json');
  const text =
    '{\n  // my servers\n  "mcpServers": {\n    "z": { "command": "z" },\n    "a": { "command": "a" } // last\n  },\n  "other": 1\n}\n';
  const add = ['add', 'notes', '--host', 'cursor', '--env', 'NOTES_TOKEN', '--', 'npx', '-y', 'notes-mcp'];
  try {
    await mkdir(path('.cursor'));
    await writeFile(file, text);
    const shown = await run(...add.toSpliced(2, 0, '--dry-run'));
    expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/^--- [\s\S]*^\+ .*"notes": \{/m)]);
    expect(await readFile(file, 'utf8')).toBe(text);
    const added = await run(...add.toSpliced(2, 0, '--json'));
    const [change] = JSON.parse(added.out).changes;
    expect([added.code, await readFile(change.backup, 'utf8')]).toEqual([0, text]);
    const written = await readFile(file, 'utf8');
    expect(written).toMatch(/my servers[\s\S]*"z"[\s\S]*"a"[\s\S]*last[\s\S]*"notes"[\s\S]*"other"/);
    expect(written).toContain('"notes-mcp@1.4.2"');
    expect(written).toContain(`"\${env:NOTES_TOKEN}"`);
    const copied = await run('sync', '--from', 'cursor', '--host', 'kiro', '--yes');
    expect([copied.code, JSON.parse(await readFile(path('.kiro/settings/mcp.json'), 'utf8'))]).toMatchObject([
      0,
      { mcpServers: { notes: { env: { NOTES_TOKEN: `\${NOTES_TOKEN}` } } } },
    ]);
    expect(shown.out + added.out + copied.out + copied.err + written).not.toContain('token-secret');
    expect((await run('remove', 'notes', '--host', 'cursor')).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(text);
  } finally {
    npm.close();
    await project.remove();
  }
}, 60_000);
