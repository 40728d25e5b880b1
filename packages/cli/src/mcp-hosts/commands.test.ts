// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome, parseErrorReport } from './fixtures/run-in-home.js';

let user: ReturnType<typeof createHome>;
let home = '';
beforeEach(() => {
  user = createHome();
  home = user.home;
});
afterEach(() => user.remove());

const tenon: (typeof user)['run'] = (...args) => user.run(...args);
const read = (name: string) => user.read(name);
const write = (name: string, text: string, mode?: number) => user.write(name, text, mode);
const listBackups = (folder: string) => user.listBackups(folder);
const CURSOR = '.cursor/mcp.json';
const SERVER = ['--', 'node', 'server.js'];

describe('tenon add', () => {
  it('writes a server into several hosts, and prints each file with its back-up [cli.add]', async () => {
    write(CURSOR, '{\n  // mine\n  "mcpServers": {}\n}\n');
    chmodSync(join(home, CURSOR), 0o664);
    write('.codex/config.toml', 'model = "o3"\n');
    const { code, out } = await tenon([
      'add',
      'docs',
      'https://example.com/mcp',
      '--host',
      'cursor,codex',
      '--bearer-env',
      'T',
    ]);
    expect([code, out.split('\n').length]).toEqual([0, 3]);
    expect(out).toContain(`Cursor: added docs to ${join(home, CURSOR)} (back-up: `);
    expect(read(CURSOR)).toBe(
      '{\n  // mine\n  "mcpServers": {\n    "docs": {\n      "url": "https://example.com/mcp",\n      "headers": {\n        "Authorization": "Bearer ${env:T}"\n      }\n    }\n  }\n}\n',
    );
    expect(read('.codex/config.toml')).toBe(
      'model = "o3"\n\n[mcp_servers.docs]\nurl = "https://example.com/mcp"\nbearer_token_env_var = "T"\n',
    );
    const [backup = ''] = listBackups('.cursor');
    expect(read(join('.cursor', backup))).toBe('{\n  // mine\n  "mcpServers": {}\n}\n');
    if (process.platform !== 'win32') {
      expect(statSync(join(home, CURSOR)).mode & 0o777).toBe(0o664);
      expect(statSync(join(home, '.cursor', backup)).mode & 0o777).toBe(0o664);
    }
  });

  it('creates a file for the user only, without a back-up', async () => {
    const { code, out } = await tenon(['add', 'a', '--host', 'claude-code', '--json', ...SERVER]);
    expect(code).toBe(0);
    const file = join(home, '.claude.json');
    expect(JSON.parse(out)).toEqual({
      dryRun: false,
      changes: [{ host: 'claude-code', file, actions: [{ name: 'a', action: 'add', unsupported: [] }] }],
    });
    expect(JSON.parse(read('.claude.json')).mcpServers.a).toEqual({
      type: 'stdio',
      command: 'node',
      args: ['server.js'],
    });
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(listBackups('.')).toEqual([]);
  });

  it('shows a unified diff without the secrets of the file, and writes nothing, with --dry-run [cli.add]', async () => {
    const text = '{"mcpServers": {\n  "x": { "command": "y", "env": { "TOKEN": "hidden-1" } }\n}}\n';
    write(CURSOR, text);
    const { out } = await tenon(['add', 'a', '--host', 'cursor', '--dry-run', '--env', 'API_KEY', ...SERVER]);
    expect(out).toMatch(/^\+\+\+ .*mcp\.json$/m);
    expect(out).toContain('+      "API_KEY": "${env:API_KEY}"');
    expect(out).not.toContain('hidden-1');
    const json = await tenon(['add', 'a', '--host', 'cursor', '--dry-run', '--json', ...SERVER]);
    expect(JSON.parse(json.out).changes[0].diff).toContain('+    "command": "node"');
    expect([read(CURSOR), listBackups('.cursor')]).toEqual([text, []]);
  });

  it('refuses to replace another server without --force, and then keeps its other settings [cli.add]', async () => {
    write(CURSOR, '{"mcpServers": {"a": {"command": "old", "env": {"X": "1"}, "disabled": true}}}');
    const before = read(CURSOR);
    const refused = await tenon(['add', 'a', '--host', 'cursor,kiro', '--json', ...SERVER]);
    expect(parseErrorReport(refused.err)).toMatchObject({
      code: 'hosts/exists',
      exit: 1,
      fix: expect.stringContaining('--force'),
    });
    expect([read(CURSOR), existsSync(join(home, '.kiro')), refused.out]).toEqual([before, false, '']);
    expect((await tenon(['add', 'a', '--host', 'cursor', '--force', ...SERVER])).code).toBe(0);
    expect(JSON.parse(read(CURSOR)).mcpServers.a).toEqual({ command: 'node', args: ['server.js'], disabled: true });
    const again = await tenon(['add', 'a', '--host', 'cursor', ...SERVER]);
    expect(again).toMatchObject({ code: 0, out: `Cursor: unchanged a in ${join(home, CURSOR)}\n` });
  });

  it('refuses a file that does not parse, names the position, and leaves all files as they are [cli.add]', async () => {
    write(CURSOR, '{\n  "mcpServers": {\n');
    write('.config/goose/config.yaml', 'extensions: [\n');
    const { code, err } = await tenon(['add', 'a', '--host', 'cursor,goose,kiro', ...SERVER]);
    expect(code).toBe(1);
    expect(err).toContain(`${join(home, CURSOR)}:3:1: close brace expected`);
    expect(err).toContain('config.yaml:2:1');
    expect(err).toContain('nothing was written');
    expect([read(CURSOR), existsSync(join(home, '.kiro'))]).toEqual(['{\n  "mcpServers": {\n', false]);
    write(CURSOR, '\uFEFF{}');
    expect((await tenon(['add', 'a', '--host', 'cursor', ...SERVER])).code).toBe(0);
    expect(read(CURSOR)).toMatch(/^\uFEFF\{\n {2}"mcpServers"/);
  });

  it('writes variables instead of secrets, and refuses values that look like one [cli.add]', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    for (const [options, part, fix] of [
      [['--env', `TOKEN=${secret}`, ...SERVER], 'env.TOKEN', '--env TOKEN'],
      [['--', 'node', 'x.js', '--api-key', 'abc'], 'args[2]', '${NAME}'],
      [['https://example.com/mcp', '--header', 'Authorization=Bearer abc'], 'headers.Authorization', '--bearer-env'],
      [['https://example.com/mcp', '--header', 'X-Api-Key=abc'], 'headers.X-Api-Key', "--header 'X-Api-Key=${NAME}'"],
      [[`https://example.com/mcp?key=${secret}`], 'url', '${NAME}'],
    ] as const) {
      const { code, err } = await tenon(['add', 'a', '--host', 'cursor', '--json', ...options]);
      expect(parseErrorReport(err).cause, part).toContain(`${part}: the value looks like a secret`);
      expect(parseErrorReport(err).fix).toContain(fix);
      expect([code, err.includes(secret)]).toEqual([2, false]);
    }
    expect((await tenon(['add', 'a', '--host', 'cursor', '--env', secret, ...SERVER])).code).toBe(0);
    const { out } = await tenon(['add', 'a', '--host', 'lm-studio', '--env', 'A_TOKEN', ...SERVER]);
    expect(out).toContain('LM Studio: replaces no variables. Write the value of A_TOKEN instead of <A_TOKEN>');
  });

  it('refuses a file whose other values would change', async () => {
    // The line ends behind the text belong to it.
    write('.config/goose/config.yaml', 'note: |+\n  a\n\n\n');
    const { code, err } = await tenon(['add', 'a', '--host', 'goose', '--json', ...SERVER]);
    expect([code, parseErrorReport(err).cause]).toEqual([
      1,
      expect.stringContaining('the form of the file is not supported'),
    ]);
    expect(read('.config/goose/config.yaml')).toBe('note: |+\n  a\n\n\n');
  });

  it('declares the variables that VS Code asks for, and removes them with their last server [cli.add] [cli.remove]', async () => {
    const text =
      '{\n  "servers": {},\n  "inputs": [\n    { "type": "promptString", "id": "mine", "description": "Mine" } // own\n  ]\n}\n';
    write('.config/Code/User/mcp.json', text);
    const add = (name: string, ...variables: string[]) =>
      tenon(['add', name, '--host', 'vscode', ...variables.flatMap(each => ['--env', each]), ...SERVER], undefined, {
        APPDATA: join(home, '.config'),
      });
    const listIds = () =>
      JSON.parse(read('.config/Code/User/mcp.json').replace('// own', '')).inputs.map(({ id }: { id: string }) => id);
    if (process.platform === 'darwin') return;
    expect((await add('a', 'A_TOKEN', 'SHARED')).code).toBe(0);
    expect((await add('b', 'SHARED')).code).toBe(0);
    expect(listIds()).toEqual(['mine', 'A_TOKEN', 'SHARED']);
    await tenon(['remove', 'a', '--host', 'vscode'], undefined, { APPDATA: join(home, '.config') });
    expect(listIds()).toEqual(['mine', 'SHARED']);
    await tenon(['remove', 'b', '--host', 'vscode'], undefined, { APPDATA: join(home, '.config') });
    expect(read('.config/Code/User/mcp.json')).toBe(text);
  });

  it('follows a symbolic link to the file, and keeps the link', async () => {
    write('dotfiles/cursor.json', '{}');
    mkdirSync(join(home, '.cursor'));
    symlinkSync(join(home, 'dotfiles/cursor.json'), join(home, CURSOR));
    mkdirSync(join(home, '.kiro/settings'), { recursive: true });
    symlinkSync('../../dotfiles/kiro.json', join(home, '.kiro/settings/mcp.json'));
    expect((await tenon(['add', 'a', '--host', 'cursor,kiro', ...SERVER])).code).toBe(0);
    expect(lstatSync(join(home, CURSOR)).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read('dotfiles/cursor.json'))).toHaveProperty('mcpServers.a');
    expect(JSON.parse(read('dotfiles/kiro.json'))).toHaveProperty('mcpServers.a');
    expect([listBackups('dotfiles').length, listBackups('.cursor')]).toEqual([1, []]);
  });

  it('keeps five back-ups of a file', async () => {
    write(CURSOR, '{}');
    for (let index = 0; index < 7; index += 1) {
      await tenon(['add', `s${index}`, '--host', 'cursor', ...SERVER]);
    }
    expect(listBackups('.cursor')).toHaveLength(5);
  });

  it('makes the paths of files absolute, except for a project', async () => {
    write('server.js', '');
    await tenon(['add', 'a', '--host', 'cursor', '--', 'node', 'server.js', '--port', '1']);
    expect(JSON.parse(read(CURSOR)).mcpServers.a.args).toEqual([join(home, 'server.js'), '--port', '1']);
    await tenon(['add', 'b', 'server.js', '--host', 'kiro']);
    expect(JSON.parse(read('.kiro/settings/mcp.json')).mcpServers.b).toMatchObject({ args: [join(home, 'server.js')] });
    const both = ['--host', 'vscode,vscode-insiders', '--project'];
    const { code, out } = await tenon(['add', 'a', ...both, '--', 'node', './server.js']);
    expect([code, out]).toEqual([0, `VS Code: added a to ${join(home, '.vscode/mcp.json')}\n`]);
    expect(JSON.parse(read('.vscode/mcp.json')).servers.a.args).toEqual(['./server.js']);
  });

  it('asks for the hosts in a terminal, and otherwise names the installed ones [cli.add]', async () => {
    expect((await tenon(['add', 'a', ...SERVER], [''])).err).toContain('no installed host found');
    mkdirSync(join(home, '.cursor'));
    mkdirSync(join(home, '.codex'));
    const { code, err } = await tenon(['add', 'a', '--json', ...SERVER]);
    expect(parseErrorReport(err)).toMatchObject({ cause: 'no host named. Installed: codex, cursor', exit: 2 });
    expect(code).toBe(2);
    const first = await tenon(['add', 'a', ...SERVER], ['Cursor']);
    expect(first.requests).toEqual(['Hosts\n- Codex\n- Cursor']);
    expect([existsSync(join(home, CURSOR)), existsSync(join(home, '.codex/config.toml'))]).toEqual([true, false]);
    expect((await tenon(['add', 'b', '--all', ...SERVER])).out.trim().split('\n')).toHaveLength(2);
    expect((await tenon(['add', 'b', ...SERVER], [])).err).toContain('no host chosen');
    expect((await tenon(['add', 'b', '--host', 'cursr', ...SERVER])).err).toContain('Did you mean "cursor"');
  });

  it.each([
    [['add', 'a b', ...SERVER], 'invalid name of a server'],
    [['add', 'a'], 'no target'],
    [['add', 'a', 'notes'], 'a server is added by its URL, its file or bundle, its name in a registry, or its command'],
    [['add', 'a', 'https://example.com', '--env', 'A'], '--env is for servers that are started'],
    [['add', 'a', '--bearer-env', 'A', ...SERVER], 'are for servers at a URL'],
    [['add', 'a', '--client-id', 'A', ...SERVER], 'are for servers at a URL'],
    [['add', 'a', 'https://example.com/mcp', '--client-id', 'A'], 'needs --client-id and --client-secret-env'],
    [['add', 'a', '--host', 'windsurf', '--project', ...SERVER], 'Windsurf has no configuration of a project'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await tenon(args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('reports a file that cannot be written, and writes the others', async () => {
    // A folder in /sys cannot be created, not even by root.
    if (process.platform !== 'linux') return;
    const env = { CODEX_HOME: '/sys/tenon' };
    const { code, out, err } = await tenon(['add', 'a', '--host', 'codex,cursor', '--json', ...SERVER], undefined, env);
    expect(code).toBe(1);
    expect(parseErrorReport(err)).toMatchObject({
      code: 'hosts/write',
      cause: expect.stringContaining('the other files were written'),
    });
    expect(JSON.parse(out).changes).toMatchObject([{ host: 'cursor' }]);
    expect(existsSync(join(home, CURSOR))).toBe(true);
  });
});

describe('the version of a package in tenon add', () => {
  /** Registry of npm with one package. */
  async function serveRegistry() {
    const server = createServer((request, response) => {
      const known = request.url === '/notes-mcp' || request.url === '/@scope%2fnotes-mcp';
      response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
      const versions = { '1.4.2': { name: 'notes-mcp', version: '1.4.2', dist: {} } };
      response.end(JSON.stringify(known ? { name: 'notes-mcp', 'dist-tags': { latest: '1.4.2' }, versions } : {}));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const env = { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_cache: join(home, 'cache') };
    return { env, close: () => server.close() };
  }

  it('comes from npm, unless it is given or --no-pin is set [cli.add]', async () => {
    const { env, close } = await serveRegistry();
    const add = async (name: string, ...args: string[]) => {
      const { code, err } = await tenon(['add', name, '--host', 'cursor', ...args], undefined, env);
      return code === 0 ? JSON.parse(read(CURSOR)).mcpServers[name].args : err;
    };
    try {
      expect(await add('a', '--', 'npx', '-y', 'notes-mcp', '--port', '1')).toEqual([
        '-y',
        'notes-mcp@1.4.2',
        '--port',
        '1',
      ]);
      expect(await add('b', '--', 'npx', '--package=@scope/notes-mcp', 'x')).toEqual([
        '--package=@scope/notes-mcp@1.4.2',
        'x',
      ]);
      expect(await add('c', '--', 'npx', '-y', 'other-mcp')).toContain('other-mcp could not be read from npm');
      expect(await add('d', '--', 'npx', '-y', 'other-mcp@1.0.0')).toEqual(['-y', 'other-mcp@1.0.0']);
      expect(await add('e', '--no-pin', '--', 'npx', '-y', 'other-mcp')).toEqual(['-y', 'other-mcp']);
    } finally {
      close();
    }
  }, 60_000);
});

describe('tenon remove', () => {
  it('removes a server from the hosts that have it [cli.remove]', async () => {
    const text = '{\n  // mine\n  "mcpServers": {\n    "x": { "command": "y" } // own\n  }\n}\n';
    write(CURSOR, text);
    mkdirSync(join(home, '.codex'));
    await tenon(['add', 'a', '--host', 'cursor', ...SERVER]);
    const dry = await tenon(['remove', 'a', '--all', '--dry-run']);
    expect(dry.out).toContain('Cursor: would remove a from');
    expect(dry.out).toContain('-    "a": {');
    expect(dry.out).toContain('Codex: nothing to change in');
    const { code, out } = await tenon(['remove', 'a', '--all', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out).changes).toMatchObject([
      { host: 'codex', actions: [] },
      { host: 'cursor', actions: [{ name: 'a', action: 'remove' }], backup: expect.stringContaining('.bak') },
    ]);
    expect([read(CURSOR), existsSync(join(home, '.codex/config.toml'))]).toEqual([text, false]);
  });

  it('names the nearest server if there is none of the name', async () => {
    write(CURSOR, '{"mcpServers": {"notes": {}}}');
    const { code, err } = await tenon(['remove', 'note', '--host', 'cursor', '--json']);
    expect([code, parseErrorReport(err)]).toEqual([
      1,
      expect.objectContaining({ code: 'hosts/not-found', fix: 'did you mean "notes"?' }),
    ]);
  });
});
