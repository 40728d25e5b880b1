import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildCommand, projectWith, tenon } from './command.js';

let removeBuilt: () => Promise<void>;
beforeAll(async () => {
  removeBuilt = await buildCommand();
}, 60_000);
afterAll(() => removeBuilt());

it('adds, copies and removes a server as a process without a terminal [cli.add] [cli.remove] [cli.sync]', async () => {
  const project = await projectWith({ x: { command: 'y' } });
  const { folder, path } = project;
  const env = { HOME: folder, USERPROFILE: folder, XDG_CONFIG_HOME: '', APPDATA: '' };
  const run = (...args: string[]) => tenon(folder, args, env);
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
    const removed = await run('remove', 'notes', '--all');
    expect([removed.code, removed.out.trim().split('\n').length]).toEqual([0, 3]);
    expect(await readFile(path('.codex/config.toml'), 'utf8')).toBe('');
  } finally {
    await project.remove();
  }
}, 60_000);
