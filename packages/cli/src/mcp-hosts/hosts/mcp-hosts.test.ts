// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlannedChange, removePlannedServer, setPlannedServer } from '../plan-change.js';
import { readHostTargets } from '../read-host-targets.js';
import { formatEntry } from './format-entry.js';
import { getHostFile, resolveHostPath, type UserPlaces } from './host-paths.js';
import type { McpHost } from './mcp-host.js';
import { mcpHosts } from './mcp-hosts.js';

const notes = {
  command: 'npx',
  args: ['-y', 'notes-mcp@1.2.3', '--mode', 'a "b"'],
  env: { NOTES_TOKEN: '${NOTES_TOKEN}', NOTES_MODE: 'dev' },
};
const docs = { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${DOCS_TOKEN}', 'X-Team': 'core' } };

/** A configuration as users have it: with comments, other settings and another server. */
function createConfig({ format, section, listKey, variables }: McpHost): string {
  const [key] = section;
  const inputs = variables.inputs === undefined ? '' : '\n\t"inputs": []';
  if (format === 'toml')
    return `# mine\nmodel = "o3" # best\n\n[${key}.other] # keep\ncommand = "other"\n\n# last\n[tui]\n`;
  const item = listKey === undefined ? '  other: # keep\n    cmd: other' : '  - name: other # keep\n    command: other';
  if (format === 'yaml') return `# mine\nmodel: "o3"   # best\n${key}:\n${item}\n# last\ntheme: [dark,  light]\n`;
  return `{\n\t// mine\n\t"theme":  "dark", // best\n\t"${key}": {\n\t\t"other": { "command": "other" } // keep\n\t},\n\t/* last */ "x": [1,2],${inputs}\n}\n`;
}

const toPlan = (host: McpHost, text: string): PlannedChange => ({
  host,
  file: 'config',
  before: text,
  after: text,
  actions: [],
  targets: new Map(),
  unread: new Map(),
});

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'tenon-hosts-'));
});
afterAll(() => rm(home, { recursive: true, maxRetries: 10 }));

/** Writes a configuration to the file of a host, and reads its servers. */
async function readBack(host: McpHost, text: string) {
  const file = getHostFile(host, 'user', { platform: 'linux', home, env: {}, cwd: '/work' }) ?? '';
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
  const { servers, unread, notes } = await readHostTargets(file, host);
  return {
    targets: Object.fromEntries([...servers].map(([name, { target }]) => [name, target])),
    unread: [...unread],
    notes,
  };
}

describe.each(mcpHosts)('$title', host => {
  it('writes servers in the form of the host, and leaves the rest of its file unchanged [cli.add]', async () => {
    const text = createConfig(host);
    const added = setPlannedServer(setPlannedServer(toPlan(host, text), 'notes', notes), 'docs', docs);
    expect(added.actions.map(({ action }) => action)).toEqual(['add', 'add']);
    await expect(added.after).toMatchFileSnapshot(join(import.meta.dirname, 'golden', `${host.id}.txt`));
    const lines = added.after.split('\n').map(line => line.replace(' } //', ' }, //'));
    const stored = text.split('\n').filter(line => !line.includes('"inputs"'));
    for (const line of stored) expect(lines).toContain(line.replace(' } //', ' }, //'));
  });

  it('restores the file after a server is added and removed [cli.remove]', () => {
    const text = createConfig(host);
    const added = setPlannedServer(setPlannedServer(toPlan(host, text), 'notes', notes), 'docs', docs);
    expect(removePlannedServer(removePlannedServer(added, 'docs'), 'notes').after).toBe(text);
    expect(removePlannedServer(removePlannedServer(added, 'notes'), 'docs').after).toBe(text);
  });

  it('keeps a server that is the same, and settings of the user when it changes one [cli.add]', () => {
    const added = setPlannedServer(toPlan(host, createConfig(host)), 'notes', notes);
    expect(setPlannedServer(added, 'notes', notes)).toMatchObject({
      after: added.after,
      actions: [{}, { action: 'keep' }],
    });
    const changed = setPlannedServer(added, 'notes', { ...notes, args: ['-y', 'notes-mcp@2.0.0'] });
    expect(changed.actions[1]).toMatchObject({ action: 'change' });
    expect(changed.after).toContain('notes-mcp@2.0.0');
    expect(changed.after).not.toContain('notes-mcp@1.2.3');
  });

  it('reads servers back as they were given [cli.add]', async () => {
    const sse = { url: 'https://example.com/sse', headers: {}, transport: 'http-sse' as const };
    const given = { notes, docs, ...(host.url?.sse ? { sse } : {}) };
    const plan = Object.entries(given).reduce(
      (before, [name, target]) => setPlannedServer(before, name, target),
      toPlan(host, createConfig(host)),
    );
    const { targets, unread, notes: errors } = await readBack(host, plan.after);
    const { other, ...others } = targets;
    expect([others, unread, errors]).toEqual([given, [], []]);
    expect(other).toMatchObject({ command: 'other' });
    const { unsupported } = formatEntry(host, 'notes', notes);
    if (host.url === undefined) return;
    const remote = formatEntry(host, 'docs', docs);
    // A host that replaces no variables gets their names, for the user to replace.
    const { text, envNames, headerNames } = host.variables;
    expect(unsupported).toEqual(text === undefined && envNames === undefined ? ['NOTES_TOKEN'] : []);
    expect(remote.unsupported).toEqual(text === undefined && headerNames === undefined ? ['DOCS_TOKEN'] : []);
  });
});

it('starts servers by cmd on Windows, also the bridge to a server at a URL [cli.platforms]', async () => {
  const bridged = mcpHosts.filter(({ url }) => url === undefined);
  expect(bridged.length).toBeGreaterThan(0);
  for (const host of bridged)
    for (const target of [notes, docs]) {
      const plan = { ...toPlan(host, createConfig(host)), platform: 'win32' };
      const { after } = setPlannedServer(plan, 'server', target);
      expect(after).toMatch(/"?cmd"?/);
      const { entry } = formatEntry(host, 'server', target, 'win32');
      expect(JSON.stringify(entry)).toContain('"/c","npx","-y"');
      expect((await readBack(host, after)).targets.server).toEqual(target);
    }
});

const findHost = (id: string): McpHost => {
  const host = mcpHosts.find(each => each.id === id);
  if (host === undefined) throw new Error(id);
  return host;
};

it('reads URLs of Gemini CLI and Qwen Code as these programs do [cli.sync]', async () => {
  const mcpServers = {
    typed: { url: 'https://example.com/a', type: 'http' },
    feed: { url: 'https://example.com/b', type: 'sse' },
    untyped: { url: 'https://example.com/c' },
    path: { url: 'https://example.com/sse' },
    earlier: { httpUrl: 'https://example.com/d' },
  };
  const readTransports = async (id: string) => {
    const { targets } = await readBack(findHost(id), JSON.stringify({ mcpServers }));
    return Object.fromEntries(
      Object.entries(targets).map(([name, target]) => [name, 'transport' in target ? target.transport : 'http']),
    );
  };
  const sse = 'http-sse';
  expect(await readTransports('gemini-cli')).toEqual({
    typed: 'http',
    feed: sse,
    untyped: 'http',
    path: sse,
    earlier: 'http',
  });
  expect(await readTransports('qwen-code')).toEqual({
    typed: 'http',
    feed: sse,
    untyped: sse,
    path: sse,
    earlier: 'http',
  });
});

it('gives a bridge to a host without HTTP+SSE, and the type to Gemini CLI, whose later versions expect it [cli.add]', () => {
  const feed = { url: 'https://example.com/sse', transport: 'http-sse' as const };
  expect(formatEntry(findHost('codex'), 'feed', feed).entry).toMatchObject({
    command: 'npx',
    args: ['-y', expect.stringContaining('@tenon/cli@'), 'bridge', 'https://example.com/sse'],
  });
  expect(formatEntry(findHost('gemini-cli'), 'feed', feed).entry).toEqual({
    type: 'sse',
    url: 'https://example.com/sse',
  });
});

describe('the files of hosts', () => {
  const getFiles = (places: Partial<UserPlaces>) => {
    const all: UserPlaces = { platform: 'linux', home: '/home/ann', env: {}, cwd: '/work', ...places };
    return Object.fromEntries(mcpHosts.map(host => [host.id, getHostFile(host, 'user', all)]));
  };

  it('exist for at least 20 hosts with unique names [cli.add]', () => {
    expect(mcpHosts.length).toBeGreaterThanOrEqual(20);
    expect(new Set(mcpHosts.map(({ id }) => id)).size).toBe(mcpHosts.length);
    for (const { docs: page } of mcpHosts) expect(page).toMatch(/^https:\/\//);
  });

  it('lie below %APPDATA% or the home folder on Windows [cli.add]', () => {
    const files = getFiles({ platform: 'win32', home: 'C:\\Users\\ann', env: { APPDATA: 'D:\\Roaming' } });
    expect(files).toMatchObject({
      'claude-desktop': 'D:\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-code': 'C:\\Users\\ann\\.claude.json',
      codex: 'C:\\Users\\ann\\.codex\\config.toml',
      goose: 'D:\\Roaming\\Block\\goose\\config\\config.yaml',
      vscode: 'D:\\Roaming\\Code\\User\\mcp.json',
      zed: 'D:\\Roaming\\Zed\\settings.json',
      opencode: 'C:\\Users\\ann\\.config\\opencode\\opencode.json',
      crush: 'C:\\Users\\ann\\AppData\\Local\\crush\\crush.json',
    });
    for (const file of Object.values(files)) expect(file).toMatch(/^[CD]:\\[^/]*$/);
    const plain = getFiles({ platform: 'win32', home: 'C:\\Users\\ann' });
    expect(plain.cursor).toBe('C:\\Users\\ann\\.cursor\\mcp.json');
    expect(plain.trae).toBe('C:\\Users\\ann\\AppData\\Roaming\\Trae\\User\\mcp.json');
  });

  it('lie in Library on macOS, and in the folders of XDG on Linux', () => {
    const mac = getFiles({ platform: 'darwin', home: '/Users/ann' });
    expect(mac['claude-desktop']).toBe('/Users/ann/Library/Application Support/Claude/claude_desktop_config.json');
    expect(mac.zed).toBe('/Users/ann/.config/zed/settings.json');
    const linux = getFiles({ env: { XDG_CONFIG_HOME: '/cfg', CODEX_HOME: '/codex', CLAUDE_CONFIG_DIR: '/claude' } });
    expect(linux).toMatchObject({
      'claude-desktop': '/cfg/Claude/claude_desktop_config.json',
      'claude-code': '/claude/.claude.json',
      codex: '/codex/config.toml',
      goose: '/cfg/goose/config.yaml',
    });
    expect(getFiles({})['claude-code']).toBe('/home/ann/.claude.json');
    expect(resolveHostPath('~', { platform: 'linux', home: '/home/$1', env: {}, cwd: '/' })).toBe('/home/$1');
  });

  it('lie in the folder of a project', () => {
    const places: UserPlaces = { platform: 'linux', home: '/home/ann', env: {}, cwd: '/work' };
    const files = mcpHosts.map(host => getHostFile(host, 'project', places));
    expect(files).toContain('/work/.vscode/mcp.json');
    expect(files).toContain('/work/.mcp.json');
    expect(files).toContain(undefined);
  });
});
