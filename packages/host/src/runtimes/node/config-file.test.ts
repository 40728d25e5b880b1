// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { execFile } from 'node:child_process';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fakeClock } from '@tenon/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readConfigFile } from './config-file.js';
import { findProjectConfigs, findUserConfigs, listUserConfigLocations } from './config-locations.js';
import { watchConfig } from './config-watch.js';
import { loadTrustKey } from './trust-key.js';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'config-'));
  path = join(folder, 'mcp.json');
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const write = (server: object, file = path) => writeFile(file, JSON.stringify({ mcpServers: { s: server } }));

describe('readConfigFile', () => {
  it('expands variables and reads the envFile, with or without a BOM', async () => {
    await writeFile(join(folder, '.env'), '# ours\nexport A=1\nB="two words"\nC=3\n');
    const server = { command: 'x', args: ['${WHO}', '${userHome}'], envFile: '.env', env: { C: '${WHO}' }, cwd: 'sub' };
    await writeFile(path, `\uFEFF{ "mcpServers": { "s": ${JSON.stringify(server)} } }`);
    const { entries, findings } = await readConfigFile(path, {
      env: { WHO: 'ada' },
      home: '/h',
      scope: 'project',
    });
    expect(findings).toEqual([]);
    expect(entries).toMatchObject([
      {
        target: {
          command: 'x',
          args: ['ada', '/h'],
          env: { A: '1', B: 'two words', C: 'ada' },
          cwd: join(folder, 'sub'),
        },
        origin: { file: path, line: 1, scope: 'project' },
      },
    ]);
    expect((await readConfigFile(path, { env: { WHO: '' } })).entries[0]?.origin?.scope).toBe('user');
  });

  it('takes a secret from a regular file of the user, without the line break at its end', async () => {
    const secret = join(folder, 'token');
    await writeFile(secret, 'hunter22\n', { mode: 0o600 });
    await write({ command: 'x', env: { TOKEN: '${file:token}' } });
    const { entries, findings } = await readConfigFile(path);
    expect([findings, entries[0]?.target]).toEqual([[], { command: 'x', env: { TOKEN: 'hunter22' } }]);
    const ofProject = await readConfigFile(path, { scope: 'project' });
    expect([ofProject.entries, ofProject.findings[0]?.error.code]).toEqual([[], 'config/user-only']);
    await writeFile(secret, 'x'.repeat(65_537));
    expect((await readConfigFile(path)).findings[0]?.error).toMatchObject({ code: 'config/secret-file' });
    await rm(secret);
    await mkdir(secret);
    const [error] = (await readConfigFile(path)).findings;
    expect(error?.error).toMatchObject({ code: 'config/secret-file' });
    expect(error?.error.message).toContain('a path that is not a file');
  });

  it.skipIf(process.platform === 'win32')('refuses a pipe and a link to one, and reads a link to a file', async () => {
    const [pipe, secret, link] = ['pipe', 'token', 'link'].map(name => join(folder, name)) as [string, string, string];
    await promisify(execFile)('mkfifo', ['-m', '600', pipe]);
    await writeFile(secret, 'hunter22', { mode: 0o600 });
    const read = async (target: string) => {
      await rm(link, { force: true });
      await symlink(target, link);
      await write({ command: 'x', env: { TOKEN: '${file:link}' } });
      return readConfigFile(path);
    };
    expect((await read(pipe)).findings[0]?.error).toMatchObject({ code: 'config/secret-file' });
    expect((await read(secret)).entries[0]?.target).toMatchObject({ env: { TOKEN: 'hunter22' } });
  });

  it.skipIf(process.platform === 'win32')('refuses a secret in a file of another user', async () => {
    const secret = join(folder, 'token');
    await writeFile(secret, 'hunter22', { mode: 0o600 });
    await write({ command: 'x', env: { TOKEN: '${file:token}' } });
    if (process.getuid?.() === 0) await chown(secret, 4321, 4321);
    const getuid = vi.spyOn(process as { getuid(): number }, 'getuid').mockReturnValue(1234);
    onTestFinished(() => getuid.mockRestore());
    const { findings } = await readConfigFile(path);
    expect(findings.map(({ level, error }) => `${level} ${error.code}`)).toEqual(['error config/secret-file']);
    expect(findings[0]?.error.message).toContain('belongs to another user');
  });

  it.skipIf(process.platform === 'win32')(
    'warns of a secret that others can read, and refuses one that others can change',
    async () => {
      const secret = join(folder, 'token');
      await writeFile(secret, 'hunter22');
      await write({ command: 'x', env: { TOKEN: '${file:token}' } });
      const codeWith = async (mode: number) => {
        await chmod(secret, mode);
        return (await readConfigFile(path)).findings.map(({ level, error }) => `${level} ${error.code}`);
      };
      expect(await codeWith(0o600)).toEqual([]);
      expect(await codeWith(0o644)).toEqual(['warning config/secret-file']);
      expect(await codeWith(0o660)).toEqual(['error config/secret-file']);
    },
  );

  it('reports the error of the file', async () => {
    await expect(readConfigFile(path)).rejects.toMatchObject({ code: 'config/not-found' });
    await expect(readConfigFile(path)).rejects.toThrow(path);
    await expect(readConfigFile(folder)).rejects.toMatchObject({ code: 'config/unreadable' });
    await writeFile(path, Buffer.from([0x7b, 0xff, 0x7d]));
    await expect(readConfigFile(path)).rejects.toMatchObject({ code: 'config/unreadable' });
    await truncate(path, 2 ** 30);
    await expect(readConfigFile(path)).rejects.toMatchObject({ code: 'config/too-large' });
    await writeFile(path, 'servers:\n  - a');
    expect((await readConfigFile(path)).findings).toMatchObject([
      { file: path, line: 1, error: { code: 'config/syntax' } },
    ]);
  });

  it.skipIf(process.platform === 'win32')('refuses an envFile that could be endless', async () => {
    for (const envFile of ['/dev/zero', '.', 'gone']) {
      await write({ command: 'x', envFile });
      expect((await readConfigFile(path)).findings, envFile).toMatchObject([
        { key: 'mcpServers.s.envFile', error: { code: 'config/env-file' } },
      ]);
    }
  });
});

describe('the locations of configurations', () => {
  it('are found in a project', async () => {
    expect(await findProjectConfigs(folder)).toEqual([]);
    for (const each of ['.cursor', '.vscode', '.mcp.json']) await mkdir(join(folder, each));
    await write({}, join(folder, '.cursor/mcp.json'));
    await write({}, join(folder, '.vscode/mcp.json'));
    expect(await findProjectConfigs(folder)).toEqual([
      { program: 'Cursor', path: join(folder, '.cursor', 'mcp.json'), scope: 'project' },
      { program: 'VS Code', path: join(folder, '.vscode', 'mcp.json'), scope: 'project' },
    ]);
  });

  it('are known for each platform', async () => {
    const pathsOf = (platform: string, home: string, env = {}) =>
      listUserConfigLocations({ platform, home, env }).map(place => `${place.program}: ${place.path}`);
    expect(pathsOf('darwin', '/Users/a')).toEqual([
      'Claude Desktop: /Users/a/Library/Application Support/Claude/claude_desktop_config.json',
      'Claude Code: /Users/a/.claude.json',
      'Cursor: /Users/a/.cursor/mcp.json',
      'VS Code: /Users/a/Library/Application Support/Code/User/mcp.json',
      'Windsurf: /Users/a/.codeium/windsurf/mcp_config.json',
    ]);
    expect(pathsOf('win32', 'C:\\U', { APPDATA: 'D:\\R' })[3]).toBe('VS Code: D:\\R\\Code\\User\\mcp.json');
    expect(pathsOf('win32', 'C:\\U')[0]).toContain('C:\\U\\AppData\\Roaming\\Claude\\');
    expect(pathsOf('linux', '/h')[0]).toBe('Claude Desktop: /h/.config/Claude/claude_desktop_config.json');
    expect(pathsOf('linux', '/h', { XDG_CONFIG_HOME: '/x', CLAUDE_CONFIG_DIR: '/c' }).slice(0, 2)).toEqual([
      'Claude Desktop: /x/Claude/claude_desktop_config.json',
      'Claude Code: /c/.claude.json',
    ]);
    await write({}, join(folder, '.claude.json'));
    const found = await findUserConfigs({ platform: 'linux', home: folder, env: {} });
    expect(found).toEqual([{ program: 'Claude Code', path: join(folder, '.claude.json'), scope: 'user' }]);
  });
});

describe('watchConfigFile', () => {
  const watching = async (file = path) => {
    const clock = fakeClock();
    const notifications: string[] = [];
    const stop = await watchConfig(file, () => void notifications.push('changed'), { clock, settleDelay: 50 });
    /** Waits for what the system says of a change, and lets the file settle. */
    const settle = async () => {
      await expect.poll(() => clock.timers).toBe(1);
      clock.advance(50);
    };
    return { clock, notifications, stop, settle };
  };

  it('reports changed content once it has settled, also after a rename or deletion', async () => {
    await write({ command: 'x' });
    const { notifications, stop, settle, clock } = await watching();
    await writeFile(path, '{');
    await write({ command: 'y' });
    await expect.poll(() => clock.timers).toBe(1);
    clock.advance(49);
    expect(notifications).toEqual([]);
    clock.advance(1);
    await expect.poll(() => notifications.length).toBe(1);

    await write({ command: 'z' }, join(folder, 'fresh'));
    await rename(join(folder, 'fresh'), path);
    await settle();
    await expect.poll(() => notifications.length).toBe(2);
    // The next one is noticed as well: it is another file now.
    await write({ command: 'w' });
    await settle();
    await expect.poll(() => notifications.length).toBe(3);
    await rm(path);
    await settle();
    await expect.poll(() => notifications.length).toBe(4);
    stop();
    await write({ command: 'v' });
    clock.advance(1000);
    expect(notifications).toHaveLength(4);
  });

  it('reports nothing for equal content, or for another file', async () => {
    await write({ command: 'x' });
    const { notifications, stop, settle, clock } = await watching();
    await writeFile(join(folder, 'other.json'), '{}');
    await write({ command: 'x' });
    await settle();
    // In one go: whoever reads still may read half of what is written.
    await write({ command: 'y' }, join(folder, 'fresh'));
    await rename(join(folder, 'fresh'), path);
    await settle();
    await expect.poll(() => notifications.length).toBe(1);
    await write({ command: 'z' });
    await expect.poll(() => clock.timers).toBe(1);
    stop();
    expect(clock.timers).toBe(0);
  });

  it('follows a link, and reports a missing folder', async () => {
    await mkdir(join(folder, 'real'));
    await write({ command: 'x' }, join(folder, 'real/file.json'));
    await symlink(join(folder, 'real/file.json'), path);
    const { notifications, stop, settle } = await watching();
    await write({ command: 'y' }, join(folder, 'real/file.json'));
    await settle();
    await expect.poll(() => notifications.length).toBe(1);
    stop();
    await expect(watching(join(folder, 'gone/mcp.json'))).rejects.toMatchObject({ code: 'config/not-found' });
  });
});

describe('loadTrustKey', () => {
  it('creates the key once, readable for its owner only', async () => {
    const file = join(folder, 'deep/trust.key');
    const keys = await Promise.all([loadTrustKey(file), loadTrustKey(file), loadTrustKey(file)]);
    expect(new Set(keys.map(key => Buffer.from(key).toString('hex'))).size).toBe(1);
    expect(keys[0]).toHaveLength(32);
    expect(await readFile(file)).toEqual(Buffer.from(await loadTrustKey(file)));
    expect(await readdir(join(folder, 'deep'))).toEqual(['trust.key']);
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    for (const mode of [0o644, 0o640, 0o666]) {
      await chmod(file, mode);
      await expect(loadTrustKey(file)).rejects.toMatchObject({ code: 'config/trust-key', expected: 'mode 0600' });
    }
    await chmod(file, 0o600);
    await writeFile(file, 'short');
    await expect(loadTrustKey(file)).rejects.toMatchObject({ code: 'config/trust-key' });
  });
});
