// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { describe, expect, it } from 'vitest';
import { listFindingCodes, read } from './fixtures/read.js';
import * as texts from './fixtures/texts.js';
import type { ConfigInput } from './inputs.js';
import { parseServerEntries } from './parse-config.js';

const targets = (entries: readonly { name: string; target: unknown }[]) =>
  Object.fromEntries(entries.map(({ name, target }) => [name, target]));

describe('parseServerEntries', () => {
  it('reads the format of Claude Desktop', async () => {
    const config = await read(texts.claudeDesktop);
    expect(listFindingCodes(config)).toEqual([]);
    expect(config.entries).toMatchObject([
      {
        name: 'notes',
        target: { command: 'npx', args: ['-y', '@acme/notes', '--port', '8123'], env: { NOTES_DEBUG: 'true' } },
        origin: { file: '/p/mcp.json', line: 3, scope: 'user' },
      },
    ]);
  });

  it('reads the format of Claude Code, whose times are milliseconds', async () => {
    const config = await read(texts.claudeCode, { SEARCH_TOKEN: 'hush' });
    expect(listFindingCodes(config)).toEqual([]);
    expect(targets(config.entries)).toEqual({
      search: { url: 'https://search.example/mcp', headers: { Authorization: 'Bearer hush' }, transport: 'http' },
      feed: { url: 'https://feed.example/sse', transport: 'http-sse' },
    });
    expect(config.entries[0]).toMatchObject({ totalTimeout: 120_000, idleTimeout: 120_000 });
  });

  it('reads the format of Cursor, with the folder around .cursor as the workspace', async () => {
    const requests: string[] = [];
    const readEnvFile = async (path: string) => {
      requests.push(path);
      return { LEVEL: 'of the file', MORE: '1' };
    };
    const config = await read(texts.cursor, { LEVEL: 'debug' }, { file: '/work/shop/.cursor/mcp.json', readEnvFile });
    expect(listFindingCodes(config)).toEqual([]);
    expect(requests).toEqual(['/work/shop/build.env']);
    expect(targets(config.entries)).toEqual({
      build: {
        command: '/work/shop/bin/build',
        args: ['--home', '/home/ada', '--name', 'shop/x'],
        env: { LEVEL: 'debug', MORE: '1' },
        cwd: '/work/shop/tools',
      },
      far: { url: 'https://far.example/mcp' },
    });
  });

  it('reads the format of Windsurf', async () => {
    const config = await read(texts.windsurf);
    expect(config.entries).toMatchObject([
      { target: { url: 'https://far.example/mcp' }, tools: { exclude: ['drop_*'] }, disabled: true },
    ]);
  });

  it('reads the format of Cline, whose times are seconds', async () => {
    const config = await read(texts.cline, {}, { file: '/u/cline_mcp_settings.json' });
    expect(listFindingCodes(config)).toEqual(['warning config/not-followed mcpServers.disk.autoApprove']);
    expect(config.entries).toMatchObject([
      { name: 'disk', target: { command: 'disk-server' }, totalTimeout: 60_000 },
      { name: 'web', target: { url: 'http://localhost:9000/mcp', transport: 'http' } },
    ]);
    expect(config.entries[0]).not.toHaveProperty('disabled');
  });

  it('reads the format of Gemini CLI, and ignores its `trust`', async () => {
    const config = await read(texts.gemini);
    expect(listFindingCodes(config)).toEqual(['warning config/not-followed mcpServers.py.trust']);
    expect(config.entries[0]).toMatchObject({
      target: { url: 'https://py.example/mcp', transport: 'http' },
      totalTimeout: 30_000,
      tools: { include: ['a', 'b'], exclude: ['c'] },
    });
    expect(config.entries[0]).not.toHaveProperty('trusted');
  });

  it('reads the format of VS Code, and prompts once for each input', async () => {
    const requests: ConfigInput[] = [];
    const inputs = (input: ConfigInput) => {
      requests.push(input);
      return input.id === 'key' ? 'hush' : undefined;
    };
    const config = await read(texts.vscode, {}, { file: '/w/.vscode/mcp.json', inputs });
    expect(listFindingCodes(config)).toEqual([]);
    expect(requests).toEqual([
      { id: 'region', type: 'pickString', options: ['eu', 'us'], default: 'eu' },
      { id: 'key', type: 'promptString', description: 'The key', password: true },
    ]);
    expect(targets(config.entries)).toEqual({
      db: { command: 'db-server', args: ['--region', 'eu', '--root=/w'], env: { DB_KEY: 'hush' } },
      api: { url: 'https://api.example/mcp', headers: { 'X-Key': 'hush' }, transport: 'http' },
    });
  });

  it('reads the settings of VS Code and of Zed', async () => {
    expect(targets((await read(texts.vscodeSettings)).entries)).toEqual({ api: { url: 'https://api.example/mcp' } });
    const config = await read(texts.zed);
    expect(listFindingCodes(config)).toEqual(['warning config/not-followed context_servers.nested.settings']);
    expect(targets(config.entries)).toEqual({
      plain: { command: 'plain-server', args: ['a'], env: {} },
      nested: { command: 'nested-server', args: ['b'], env: { C: 'd' } },
      far: { url: 'https://far.example/mcp' },
    });
    expect(config.entries[2]).toMatchObject({ totalTimeout: 90_000 });
  });

  it('reads the keys of this project', async () => {
    const { entries, findings } = await read(texts.ours);
    expect(findings).toEqual([]);
    expect(entries[0]).toMatchObject({
      ...{ startTimeout: 5000, idleTimeout: 6000, totalTimeout: 7000, trusted: true },
      tools: { include: ['read_*'], exclude: ['read_secret'] },
      roots: ['file:///p', 'file:///data/a%20b', 'file:///c'],
    });
  });

  it('skips a byte order mark, and removes variables that the envFile sets to null', async () => {
    const server = { command: 'x', envFile: 'y', env: { A: null } };
    const readEnvFile = async () => ({ A: '1', B: '2' });
    const { entries } = await read(`\uFEFF${JSON.stringify({ mcpServers: { server } })}`, {}, { readEnvFile });
    expect(entries[0]?.target).toEqual({ command: 'x', env: { B: '2' } });
  });

  it('passes a number in `env` and `args` with the digits of the file', async () => {
    const env = '{ "ID": 9007199254740993, "VERSION": 1.10, "PORT": 8080, "LARGE": 1e400, "ZERO": -0 }';
    const { entries } = await read(
      `{ "mcpServers": { "a": { "command": "x", "args": [1152921504606846976], "env": ${env} } } }`,
    );
    expect(entries[0]?.target).toEqual({
      command: 'x',
      args: ['1152921504606846976'],
      env: { ID: '9007199254740993', VERSION: '1.10', PORT: '8080', LARGE: '1e400', ZERO: '-0' },
    });
  });

  it('checks objects of an application likewise', async () => {
    const servers = { a: { command: 'x', args: ['${HOME}'], cwd: undefined }, b: { comand: 'x' }, c: 1 };
    const config = await parseServerEntries(servers);
    expect(config.entries).toEqual([
      { name: 'a', target: { command: 'x', args: ['${HOME}'] }, written: { command: 'x', 'args[0]': '${HOME}' } },
    ]);
    expect(listFindingCodes(config)).toEqual([
      'warning config/unknown-key b.comand',
      'error config/target b',
      'error config/shape c',
    ]);
    expect(config.findings.map(({ server }) => server)).toEqual(['b', 'b', 'c']);
    const filled = await parseServerEntries(servers, { env: () => '/h' });
    expect(filled.entries[0]?.target).toEqual({ command: 'x', args: ['/h'] });
  });
});
