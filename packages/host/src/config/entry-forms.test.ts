// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { describe, expect, it } from 'vitest';
import { joinFindingMessages, listFindingCodes, read, readOne } from './fixtures/read.js';
import { type ConfigOptions, parseServerEntries } from './parse-config.js';

const URL_ = 'https://a.example/mcp';
const ENV = { T: 'hush', HOME: '/home/ada' };

/**
 * Shapes of entries in public files, with other names and values: the entry, the target as one text, and the codes of the
 * notes. Each shape occurs in files of a program or in instructions for one.
 */
const SHAPES: readonly (readonly [shape: object | string, target: string, notes?: readonly string[]])[] = [
  // A program and its arguments.
  [{ command: 'npx', args: ['-y', 'a-mcp'] }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], env: {} }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], env: { K: '${T}' } }, 'npx|-y|a-mcp K=hush'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], env: { K: '${env:T}' } }, 'npx|-y|a-mcp K=hush'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], env: { K: '$env:T' } }, 'npx|-y|a-mcp K=hush'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], env: { K: '${{ secrets.T }}' } }, 'npx|-y|a-mcp K=hush'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], env: { PORT: 80, DEBUG: true } }, 'npx|-y|a-mcp PORT=80 DEBUG=true'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], environment: { K: 'v' } }, 'npx|-y|a-mcp K=v', ['spelling']],
  [{ command: 'npx', args: ['-y', 'a-mcp'], env: [{ name: 'K', value: 'v' }] }, 'npx|-y|a-mcp K=v', ['spelling']],
  [{ command: 'npx', args: ['-y', 'a-mcp'], disabled: false, autoApprove: ['x'] }, 'npx|-y|a-mcp', ['not-followed']],
  [
    { command: 'npx', args: ['-y', 'a-mcp'], alwaysAllow: [], timeout: 60 },
    'npx|-y|a-mcp',
    ['not-followed', 'time-unit'],
  ],
  [{ command: 'npx', args: ['-y', 'a-mcp'], description: 'A', tags: ['x'] }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], type: 'stdio', gallery: true }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], type: 'local', tools: ['*'] }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], transport: 'stdio' }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], transportType: 'stdio', disabled: false }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], lifecycle: 'keep-alive' }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], logging: { daemon: { enabled: true } } }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], allowedTools: ['x'] }, 'npx|-y|a-mcp', ['spelling']],
  [{ command: 'npx', args: ['-y', 'a-mcp'], blocked_tools: ['x'] }, 'npx|-y|a-mcp', ['spelling']],
  [{ command: 'npx', args: ['-y', 'a-mcp'], disabledTools: ['x'] }, 'npx|-y|a-mcp'],
  [{ command: 'npx', args: ['-y', 'a-mcp'], working_directory: '/w' }, 'npx|-y|a-mcp in /w', ['spelling']],
  [{ command: 'npx', args: ['-y', 'a-mcp'], cwd: '${workspaceFolder}' }, 'npx|-y|a-mcp in /p'],
  [{ command: 'cmd', args: ['/c', 'npx', '-y', 'a-mcp'] }, 'cmd|/c|npx|-y|a-mcp'],
  [{ command: 'uvx', args: ['--from', 'git+https://g.example/a', 'a'] }, 'uvx|--from|git+https://g.example/a|a'],
  [
    { command: 'docker', args: ['run', '-i', '--rm', '-e', 'K', 'a/b'], env: { K: 'v' } },
    'docker|run|-i|--rm|-e|K|a/b K=v',
  ],
  [{ command: '/opt/a/bin/a', args: [] }, '/opt/a/bin/a'],
  [{ command: 'C:\\a\\a.exe', args: ['--x'] }, 'C:\\a\\a.exe|--x'],
  [{ command: 'python', args: ['-m', 'a'], cwd: '/w', note: 'x' }, 'python|-m|a in /w'],
  [{ transport: { type: 'stdio', command: 'npx', args: ['a-mcp'] } }, 'npx|a-mcp'],
  // One text or one list for all.
  [{ command: 'npx -y a-mcp' }, 'npx|-y|a-mcp', ['command-line']],
  [{ command: 'npx -y a-mcp', args: [] }, 'npx|-y|a-mcp', ['command-line']],
  [{ command: 'npx @a/b --browser chrome' }, 'npx|@a/b|--browser|chrome', ['command-line']],
  [{ command: '  npx  a-mcp ' }, 'npx|a-mcp', ['command-line']],
  [{ command: 'uv run --directory "/a b" a' }, 'uv|run|--directory|/a b|a', ['command-line']],
  [{ command: "node -e 'x(\"y\")' ''" }, 'node|-e|x("y")|', ['command-line']],
  [{ command: 'node a\\ b.js C:\\c\\d.js' }, 'node|a b.js|C:\\c\\d.js', ['command-line']],
  [{ command: 'a-mcp --key ${T} --home=${HOME}/x' }, 'a-mcp|--key|hush|--home=/home/ada/x', ['command-line']],
  [{ command: 'a-mcp ${X:-b c} *.js ~ $HOME' }, 'a-mcp|b c|*.js|~|$HOME', ['command-line']],
  [
    { command: 'npx mcp-remote https://a.example/s?x=1&y=2' },
    'npx|mcp-remote|https://a.example/s?x=1&y=2',
    ['command-line'],
  ],
  [{ type: 'stdio', command: 'npx a-mcp', env: { K: 'v' } }, 'npx|a-mcp K=v', ['command-line']],
  [{ command: ['npx', '-y', 'a-mcp'] }, 'npx|-y|a-mcp', ['spelling']],
  [{ command: ['node', 'a b.js'], args: ['c'] }, 'node|a b.js|c', ['spelling']],
  [{ executable: 'a-mcp', args: ['x'] }, 'a-mcp|x', ['spelling']],
  // A URL.
  [{ url: URL_ }, URL_],
  [{ type: 'http', url: URL_ }, `${URL_} http`],
  [{ type: 'streamable-http', url: URL_ }, `${URL_} http`],
  [{ type: 'streamableHttp', url: URL_, timeout: 120_000 }, `${URL_} http`],
  [{ type: 'streamable_http', url: URL_ }, `${URL_} http`],
  [{ type: 'sse', url: URL_ }, `${URL_} http-sse`],
  [{ type: 'remote', url: URL_ }, URL_],
  [{ transport: 'sse', url: URL_ }, `${URL_} http-sse`],
  [{ transport: { type: 'streamable-http' }, type: 'http', url: URL_ }, `${URL_} http`],
  [{ transport: { type: 'streamable_http', endpoint: URL_ } }, `${URL_} http`, ['spelling']],
  [{ serverUrl: URL_, disabled: false }, URL_],
  [{ httpUrl: URL_, timeout: 5000, trust: true }, `${URL_} http`, ['not-followed']],
  [{ url: URL_, serverUrl: URL_ }, URL_],
  [{ baseUrl: URL_ }, URL_, ['spelling']],
  [{ base_url: URL_, description: 'A' }, URL_, ['spelling']],
  [{ type: 'streamableHttp', baseUrl: URL_ }, `${URL_} http`, ['spelling']],
  [{ baseUrl: URL_, auth: 'oauth' }, URL_, ['spelling', 'not-followed']],
  [{ baseUrl: URL_, headers: { Authorization: '$env:T' } }, `${URL_} Authorization=hush`, ['spelling']],
  [{ baseUrl: URL_, bearerTokenEnv: 'T' }, `${URL_} Authorization=Bearer hush`, ['spelling', 'spelling']],
  [{ url: URL_, headers: { Authorization: 'Bearer ${T}' } }, `${URL_} Authorization=Bearer hush`],
  [{ url: URL_, headers: {} }, URL_],
  [{ url: URL_, requestInit: { headers: { 'X-K': 'v' } } }, `${URL_} X-K=v`],
  [{ url: URL_, oauth: { clientId: 'x' } }, URL_, ['not-followed']],
  [{ url: URL_, autoApprove: ['x'], disabled: false }, URL_, ['not-followed']],
  [{ url: 'http://localhost:1/mcp', enabled: true }, 'http://localhost:1/mcp'],
  [{ url: 'http://127.0.0.1:${PORT:-1}/mcp' }, 'http://127.0.0.1:1/mcp'],
  [URL_, URL_, ['spelling']],
];

/** Writes a target as one text. */
function format(target: object): string {
  const members = (values: object = {}) => Object.entries(values).map(([name, value]) => ` ${name}=${value}`);
  if ('url' in target) {
    const { url, transport, headers } = target as { url: string; transport?: string; headers?: object };
    return [url, ...(transport ? [` ${transport}`] : []), ...members(headers)].join('');
  }
  const { command, args = [], env, cwd } = target as { command: string; args?: string[]; env?: object; cwd?: string };
  return [[command, ...args].join('|'), ...members(env), ...(cwd ? [` in ${cwd}`] : [])].join('');
}

const toNotes = (codes: readonly string[]) => codes.map(code => `warning config/${code}`);

describe('entries of public configurations', () => {
  it('include at least 70 shapes', () => expect(SHAPES.length).toBeGreaterThanOrEqual(70));

  it.each(SHAPES.map(([shape, target, notes = []]) => [shape, target, notes] as const))(
    'are read: %j',
    async (shape, target, notes) => {
      const config = await read(JSON.stringify({ mcpServers: { s: shape } }), ENV);
      expect(config.entries.map(entry => format(entry.target))).toEqual([target]);
      expect(listFindingCodes(config).map(text => text.replace(/ mcpServers.*/, ''))).toEqual(toNotes(notes));
      expect(joinFindingMessages(config)).not.toContain('hush');
    },
  );

  it.each([
    [{ cmd: 'node', args: ['x'] }, 'error config/target mcpServers.s'],
    ['npx -y a-mcp', 'error config/shape mcpServers.s'],
    [null, 'error config/shape mcpServers.s'],
    [{ command: [] }, 'error config/target mcpServers.s.command'],
    [{ command: ['node', {}] }, 'error config/shape mcpServers.s.command[1]'],
    [{ command: 'cd /x && npx a' }, 'error config/command-line mcpServers.s.command'],
    [{ command: 'K=v npx a' }, 'error config/command-line mcpServers.s.command'],
    [{ command: 'npx a > log' }, 'error config/command-line mcpServers.s.command'],
    [{ command: 'npx $(which a)' }, 'error config/command-line mcpServers.s.command'],
    [{ command: 'npx "a' }, 'error config/command-line mcpServers.s.command'],
    [{ baseUrl: URL_, url: 'https://b.example' }, 'error config/target mcpServers.s.baseUrl'],
    [{ command: 'a', env: { K: '1' }, environment: { K: '2' } }, 'error config/target mcpServers.s.environment'],
  ])('are refused: %j', async (shape, error) => {
    const config = await read(JSON.stringify({ mcpServers: { s: shape } }));
    expect(listFindingCodes(config)).toContain(error);
    expect(config.entries).toEqual([]);
  });
});

describe('a command with spaces', () => {
  const programs = (names: readonly string[], folders: unknown[] = []): Partial<ConfigOptions> => ({
    hasProgram: (name, folder) => {
      folders.push(folder);
      return names.includes(name);
    },
  });

  it('stays unsplit if such a program exists, in the folder of the server', async () => {
    const folders: unknown[] = [];
    const config = await readOne({ command: 'my tool', cwd: 'x' }, {}, programs(['my tool'], folders));
    expect([config.entries[0]?.target, listFindingCodes(config), folders]).toEqual([
      { command: 'my tool', cwd: '/p/x' },
      [],
      ['/p/x'],
    ]);
  });

  it('is split after a path only if its first word is a program', async () => {
    const target = async (command: string, names: readonly string[]) =>
      format((await readOne({ command }, {}, programs(names))).entries[0]?.target ?? {});
    expect(await target('/usr/bin/node a.js', ['/usr/bin/node'])).toBe('/usr/bin/node|a.js');
    expect(await target('/Applications/My App/a', [])).toBe('/Applications/My App/a');
    expect(await target('C:\\Program Files\\a.exe', [])).toBe('C:\\Program Files\\a.exe');
  });

  it('is split for entries of an application too, and `args` stay unchanged', async () => {
    const { entries } = await parseServerEntries({ a: { command: 'npx a' }, b: { command: 'x y', args: ['z'] } });
    expect(entries.map(({ target }) => format(target))).toEqual(['npx|a', 'x y|z']);
  });

  it('shows its words as written, for approvals', async () => {
    const { entries } = await readOne({ command: 'a --key ${T}' }, ENV);
    expect(entries[0]?.written).toEqual({ command: 'a', 'args[0]': '--key', 'args[1]': '${T}' });
  });
});

describe('files with formats of their own', () => {
  const targets = async (content: object, file: string, isOtherFormat = false) => {
    const parse = () => ({ value: content, findLine: () => 7 });
    const config = await read(isOtherFormat ? '' : JSON.stringify(content), ENV, {
      file,
      ...(isOtherFormat ? { parse } : {}),
    });
    return [
      Object.fromEntries(config.entries.map(({ name, target }) => [name, format(target)])),
      listFindingCodes(config),
    ];
  };

  it('include the `mcp` of OpenCode, and exclude settings of Gemini CLI under this key', async () => {
    const mcp = {
      a: { type: 'local', command: ['npx', 'a'], environment: { K: '{env:T}' }, enabled: true, timeout: 5000 },
      b: { type: 'remote', url: URL_, headers: { A: 'Bearer {env:T}' } },
    };
    expect(await targets({ mcp }, '/p/opencode.json')).toEqual([{ a: 'npx|a K=hush', b: `${URL_} A=Bearer hush` }, []]);
    const settings = {
      mcp: { allowed: ['a'], serverCommand: 'x' },
      mcpServers: { a: { command: 'a', env: { K: '$T' } } },
    };
    expect(await targets(settings, '/h/.gemini/settings.json')).toEqual([{ a: 'a K=hush' }, []]);
    expect(
      await targets({ mcp: { a: { type: 'local', command: ['a'], environment: { K: '{file:x}' } } } }, '/p/o.json'),
    ).toEqual([{}, ['error config/variable mcp.a.environment.K']]);
  });

  it('include the `mcp` of Crush, and run no command for a value', async () => {
    const mcp = { a: { type: 'stdio', command: 'a', timeout: 120, env: { K: '$(echo $T)', L: '$T' } } };
    expect(await targets({ mcp }, '/p/crush.json')).toEqual([{ a: 'a K=hush L=hush' }, []]);
    expect(
      await targets({ mcp: { a: { type: 'http', url: URL_, headers: { A: '$(cat x)' } } } }, '/p/crush.json'),
    ).toEqual([{}, ['error config/variable mcp.a.headers.A']]);
  });

  it('include the tables of Codex', async () => {
    const mcp_servers = {
      a: {
        command: 'a',
        args: ['-${T}'],
        env: { M: 'v' },
        env_vars: ['T'],
        startup_timeout_sec: 20,
        enabled_tools: ['x'],
      },
      b: { url: URL_, bearer_token_env_var: 'T', http_headers: { A: 'v' }, env_http_headers: { B: 'T' } },
      c: { command: 'c', tools: { x: { approval_mode: 'approve' } } },
    };
    expect(await targets({ mcp_servers }, '/h/.codex/config.toml', true)).toEqual([
      { a: 'a|-${T} T=hush M=v', b: `${URL_} A=v B=hush Authorization=Bearer hush`, c: 'c' },
      ['warning config/not-followed mcp_servers.c.tools'],
    ]);
  });

  it('include the servers among extensions of Goose, and no extensions in JSON', async () => {
    const extensions = {
      a: { type: 'stdio', cmd: 'a', args: ['x'], envs: { M: 'v' }, env_keys: ['T'], timeout: 300, available_tools: [] },
      b: { type: 'streamable_http', uri: URL_, headers: { A: '${T}' }, env_keys: ['T'], name: 'b', bundled: true },
      developer: { type: 'builtin', enabled: true },
    };
    expect(await targets({ extensions }, '/h/config.yaml', true)).toEqual([
      { a: 'a|x T=hush M=v', b: `${URL_} http A=hush` },
      [],
    ]);
    expect(await targets({ extensions }, '/h/settings.json')).toEqual([{}, ['warning config/no-servers ']]);
  });

  it('include lists of servers by their names, and report one without a name', async () => {
    const mcpServers = [
      { name: 'a', command: 'a' },
      { name: 'b', type: 'streamable-http', url: URL_, requestOptions: { headers: { A: '${{ secrets.T }}' } } },
      { command: 'c' },
      { name: 'd', command: 1, args: {} },
    ];
    expect(await targets({ mcpServers }, '/h/config.yaml', true)).toEqual([
      { a: 'a', b: `${URL_} http A=hush` },
      ['error config/name mcpServers[2]', 'error config/shape mcpServers[3].args'],
    ]);
  });

  it('keep values as written for programs that copy them', async () => {
    const servers = {
      a: { command: 'a ${T}', envFile: 'x', env: { K: '${input:k}' } },
      b: { url: 'https://${T}/mcp' },
    };
    const { entries, findings } = await read(JSON.stringify({ mcpServers: servers }), ENV, {
      resolve: false,
    });
    expect(entries.map(({ target }) => format(target))).toEqual(['a|${T} K=${input:k}', 'https://${T}/mcp']);
    expect([entries[0]?.written?.envFile, findings.map(({ level }) => level)]).toEqual(['x', ['warning']]);
  });

  it('include the sections of Amp and of adapters', async () => {
    expect(await targets({ 'amp.mcpServers': { a: { command: 'a' } } }, '/h/settings.json')).toEqual([{ a: 'a' }, []]);
    expect(await targets({ 'mcp-servers': { a: { command: 'a' } } }, '/h/mcp.json')).toEqual([{ a: 'a' }, []]);
  });
});
