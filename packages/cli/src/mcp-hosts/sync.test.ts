// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takePart } from '../../../../test/support/extent.js';
import { createHome, parseErrorReport } from './fixtures/run-in-home.js';
import { mcpHosts } from './hosts/mcp-hosts.js';

let user: ReturnType<typeof createHome>;
beforeEach(() => {
  user = createHome();
});
afterEach(() => user.remove());

const CURSOR = '.cursor/mcp.json';
const KIRO = '.kiro/settings/mcp.json';
const servers = (content: object) => JSON.stringify({ mcpServers: content });
const toActions = (out: string) =>
  (JSON.parse(out).changes as { host: string; actions: { name: string; action: string }[] }[]).map(
    ({ host, actions }) => [host, Object.fromEntries(actions.map(({ name, action }) => [name, action]))] as const,
  );

describe('tenon sync', () => {
  it('adds and changes servers, and removes others only with --prune [cli.sync]', async () => {
    user.write(CURSOR, servers({ a: { command: 'a' }, b: { url: 'https://example.com/mcp' } }));
    user.write(KIRO, servers({ a: { command: 'old', disabled: true }, c: { command: 'c' } }));
    const args = ['sync', '--from', 'cursor', '--host', 'kiro,codex', '--json', '--yes'];
    const dry = await user.run([...args, '--prune', '--dry-run']);
    expect(toActions(dry.out)).toEqual([
      ['kiro', { a: 'change', b: 'add', c: 'remove' }],
      ['codex', { a: 'add', b: 'add' }],
    ]);
    expect([JSON.parse(dry.out).changes[0].diff, user.read(KIRO)]).toEqual([
      expect.stringContaining('@@'),
      servers({ a: { command: 'old', disabled: true }, c: { command: 'c' } }),
    ]);
    const { code, out } = await user.run(args);
    expect([code, toActions(out)[0]]).toEqual([0, ['kiro', { a: 'change', b: 'add' }]]);
    expect(JSON.parse(user.read(KIRO)).mcpServers).toEqual({
      a: { command: 'a', disabled: true, args: [] },
      c: { command: 'c' },
      b: { url: 'https://example.com/mcp' },
    });
    expect(user.read('.codex/config.toml')).toContain('[mcp_servers.b]\nurl = "https://example.com/mcp"');
    expect(user.listBackups('.kiro/settings')).toHaveLength(1);
    expect((await user.run([...args, '--prune'])).code).toBe(0);
    expect(JSON.parse(user.read(KIRO)).mcpServers).not.toHaveProperty('c');
  });

  it('says that there is nothing to change if the source is the only host', async () => {
    user.write(CURSOR, servers({ a: { command: 'a' } }));
    const { code, err } = await user.run(['sync', '--from', 'cursor', '--host', 'cursor', '--yes']);
    expect([code, err]).toEqual([0, expect.stringMatching(/is the source, and no other host was chosen/)]);
  });

  it('changes nothing once the hosts agree, whichever is the source [cli.sync]', async () => {
    const all = mcpHosts.map(({ id }) => id).join(',');
    const notes = { command: 'npx', args: ['-y', 'notes@1.0.0'], env: { TOKEN: '${env:TOKEN}', MODE: 'dev' } };
    const docs = { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer ${env:DOCS}', 'X-Team': 'core' } };
    user.write(CURSOR, servers({ notes, docs }));
    expect((await user.run(['sync', '--from', 'cursor', '--host', all, '--yes'])).code).toBe(0);
    for (const { id } of takePart(mcpHosts, 0, 4)) {
      const { out } = await user.run(['sync', '--from', id, '--host', all, '--prune', '--json']);
      const changes = toActions(out);
      expect(changes, id).toHaveLength(mcpHosts.length - 1);
      for (const [host, actions] of changes) expect(actions, `${id} ${host}`).toEqual({ notes: 'keep', docs: 'keep' });
    }
  }, 60_000);

  it('copies no secret, but writes a variable, and keeps the value of a file that has one [cli.sync]', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const entries = {
      a: { command: 'a', env: { GITHUB_TOKEN: secret } },
      b: { url: 'https://example.com/mcp', headers: { Authorization: `Bearer ${secret}` } },
      c: { command: 'c', args: ['--token', secret] },
    };
    user.write(CURSOR, servers(entries));
    user.write('.lmstudio/mcp.json', servers({ a: { command: 'a', env: { GITHUB_TOKEN: 'mine' } } }));
    const { code, out, err } = await user.run(['sync', '--from', 'cursor', '--host', 'kiro,lm-studio', '--yes']);
    expect(code).toBe(0);
    expect(err).toBe('c: not copied, because args[1] contains a secret\n');
    const kiro = JSON.parse(user.read(KIRO)).mcpServers;
    expect(kiro.a.env).toEqual({ GITHUB_TOKEN: '${GITHUB_TOKEN}' });
    expect(kiro.b.headers).toEqual({ Authorization: 'Bearer ${B_AUTHORIZATION}' });
    expect(kiro).not.toHaveProperty('c');
    expect(out).toContain('LM Studio: unchanged a');
    expect(user.read('.lmstudio/mcp.json')).toContain('"mine"');
    expect([out, err, user.read(KIRO)].join()).not.toContain(secret);
  });

  it('skips disabled servers, and entries that are no servers', async () => {
    user.write(CURSOR, servers({ a: { command: 'a', disabled: true }, b: { command: 'b' } }));
    user.write(KIRO, servers({ a: { command: 'a' } }));
    const goose = 'extensions:\n  developer: # mine\n    type: builtin\n    enabled: true\n  b:\n    type: builtin\n';
    user.write('.config/goose/config.yaml', goose);
    const { out } = await user.run(['sync', '--from', 'cursor', '--host', 'kiro,goose', '--prune', '--json', '--yes']);
    expect(JSON.parse(out)).toMatchObject({
      skipped: [{ name: 'a', reason: 'it is disabled' }],
      source: user.path(CURSOR),
    });
    expect(toActions(out)).toEqual([
      ['kiro', { b: 'add' }],
      ['goose', {}],
    ]);
    expect(user.read('.config/goose/config.yaml')).toBe(goose);
  });

  it('reads files in the forms of hosts, with inputs of VS Code as variables', async () => {
    user.write('mcp.json', servers({ a: { command: 'a', env: { K: '${env:K}' } } }));
    user.write('team/vs.json', '{ "servers": { "b": { "command": "b", "env": { "K": "${input:api-key}" } } } }');
    user.write('team/codex.toml', '[mcp_servers.c]\ncommand = "c"\nenv_vars = ["K"]\n');
    user.write('team/list.yml', 'mcpServers:\n  - name: d\n    command: d\n    env:\n      K: ${{ secrets.K }}\n');
    user.write('.vscode/mcp.json', '{ "servers": { "e": { "command": "e" } } }');
    const sources = [
      [],
      ['--from', 'team/vs.json'],
      ['--from', 'team/codex.toml'],
      ['--from', 'team/list.yml'],
      ['--from', '.vscode/mcp.json'],
    ];
    for (const from of sources) expect((await user.run(['sync', ...from, '--host', 'kiro', '--yes'])).err).toBe('');
    expect(JSON.parse(user.read(KIRO)).mcpServers).toEqual({
      a: { command: 'a', args: [], env: { K: '${K}' } },
      b: { command: 'b', args: [], env: { K: '${API_KEY}' } },
      c: { command: 'c', args: [], env: { K: '${K}' } },
      d: { command: 'd', args: [], env: { K: '${K}' } },
      e: { command: 'e', args: [] },
    });
  });

  it('shows the changes in a terminal, and asks before it writes them [cli.sync]', async () => {
    user.write(CURSOR, servers({ a: { command: 'a' } }));
    const args = ['sync', '--from', 'cursor', '--host', 'kiro'];
    const refused = await user.run(args, ['no']);
    expect(refused).toMatchObject({ code: 1, requests: ['Write 1 file?'] });
    expect(refused.err).toMatch(
      /^Kiro: would add a to \S+\n--- \/dev\/null\n[\s\S]*\n\+ {6}"command": "a",\n[\s\S]*\nnothing was written\n$/,
    );
    expect(existsSync(user.path(KIRO))).toBe(false);
    const unapproved = await user.run(args);
    expect([unapproved.code, unapproved.err]).toEqual([6, expect.stringContaining('pass --yes')]);
    expect(existsSync(user.path(KIRO))).toBe(false);
    expect((await user.run([...args, '--yes'], [])).requests).toEqual([]);
    expect((await user.run([...args, '--yes'], [])).out).toBe(`Kiro: unchanged a in ${user.path(KIRO)}\n`);
  });

  it.each([
    [['--from', 'cursor'], 'does not exist'],
    [['--from', 'empty.json'], 'no server found'],
    [['--from', 'notes.txt.xml'], 'does not exist'],
    [['--from', 'windsurf', '--project'], 'it has no configuration of a project'],
  ])('refuses %j', async (args, message) => {
    user.write('empty.json', '{"mcpServers": {}}');
    const { code, err } = await user.run(['sync', ...args, '--host', 'kiro', '--json']);
    expect([code, parseErrorReport(err).cause]).toEqual([2, expect.stringContaining(message)]);
  });

  it('refuses a source that does not parse', async () => {
    user.write('team.json', '{"mcpServers": ');
    const { code, err } = await user.run(['sync', '--from', 'team.json', '--host', 'kiro', '--json']);
    expect([code, parseErrorReport(err)]).toMatchObject([
      1,
      { code: 'hosts/syntax', cause: expect.stringContaining('team.json:1:16') },
    ]);
  });
});

describe('entries in other spellings', () => {
  const URL_ = 'https://example.invalid/mcp';
  const source = {
    docs: { baseUrl: URL_ },
    surf: { serverUrl: URL_ },
    gem: { httpUrl: URL_ },
    arr: { command: ['node', 'x.js'] },
    line: { command: 'npx @a/b --browser chrome' },
    text: URL_,
    bad: { cmd: 'node' },
    str: 'npx -y foo',
  };

  it('are copied with a note, and unreadable ones are reported and fail the command [cli.sync]', async () => {
    user.write('team.json', servers(source));
    const args = ['sync', '--from', 'team.json', '--host', 'kiro,codex', '--prune', '--json'];
    const { code, out, err } = await user.run([...args, '--yes']);
    expect(code).toBe(1);
    expect(JSON.parse(out).unread).toEqual([
      { name: 'bad', file: user.path('team.json'), error: expect.stringContaining('no command and no URL') },
      { name: 'str', file: user.path('team.json'), error: expect.stringContaining('mcpServers.str') },
    ]);
    expect(err).toMatch(
      /"level":"warning","message":".*team\.json:1: mcpServers\.docs\.baseUrl: \\"baseUrl\\" is read as `url`/,
    );
    expect(JSON.parse(user.read(KIRO)).mcpServers).toEqual({
      ...Object.fromEntries(['docs', 'surf', 'gem', 'text'].map(name => [name, { url: URL_ }])),
      arr: { command: 'node', args: ['x.js'] },
      line: { command: 'npx', args: ['@a/b', '--browser', 'chrome'] },
    });
    // The second time, nothing is left to do, and the problem is still reported.
    const again = await user.run(args);
    expect([again.code, ...toActions(again.out).map(([, actions]) => Object.values(actions))]).toEqual([
      1,
      Array(6).fill('keep'),
      Array(6).fill('keep'),
    ]);
  });

  it('never cause --prune to remove an unreadable server, in the source or in a host [cli.sync]', async () => {
    user.write('team.json', servers({ a: { command: 'a' }, typo: { comand: 'x' }, b: { command: 'b' } }));
    user.write(KIRO, servers({ typo: { command: 'works' }, b: { comand: 'b' }, mine: 5, old: { command: 'old' } }));
    const { code, out } = await user.run([
      'sync',
      '--from',
      'team.json',
      '--host',
      'kiro',
      '--prune',
      '--yes',
      '--json',
    ]);
    expect([code, toActions(out)]).toEqual([1, [['kiro', { a: 'add', old: 'remove' }]]]);
    expect(JSON.parse(out).unread.map(({ name, file }: { name: string; file: string }) => [name, file])).toEqual([
      ['typo', user.path('team.json')],
      ['b', user.path(KIRO)],
      ['mine', user.path(KIRO)],
    ]);
    expect(JSON.parse(user.read(KIRO)).mcpServers).toEqual({
      typo: { command: 'works' },
      b: { comand: 'b' },
      mine: 5,
      a: { command: 'a', args: [] },
    });
  });

  it('equal those in the spelling of the host, so nothing changes', async () => {
    user.write('team.json', servers({ docs: { url: URL_ }, run: { command: 'npx', args: ['x'] } }));
    user.write(KIRO, servers({ docs: { baseUrl: URL_ }, run: { command: 'npx x' } }));
    const { code, out } = await user.run(['sync', '--from', 'team.json', '--host', 'kiro', '--json']);
    expect([code, toActions(out)]).toEqual([0, [['kiro', { docs: 'keep', run: 'keep' }]]]);
  });

  it('skips a server with a file of variables, which other hosts do not read', async () => {
    user.write('team.json', servers({ a: { command: 'a', envFile: '.env' }, b: { command: 'b' } }));
    const { out } = await user.run(['sync', '--from', 'team.json', '--host', 'kiro', '--yes', '--json']);
    expect(JSON.parse(out).skipped).toEqual([{ name: 'a', reason: expect.stringContaining('envFile') }]);
  });

  it('copies a server with a service account as a command that signs in, with its secret in a variable', async () => {
    const auth = { type: 'client-credentials', clientId: 'desk', clientSecret: 'hunter22-hunter22' };
    const url = 'https://crm.example.com/mcp';
    user.write(CURSOR, servers({ crm: { url, auth }, named: { url, auth: { ...auth, clientSecret: '${env:DESK}' } } }));
    const args = ['sync', '--from', 'cursor', '--host', 'claude-code', '--json', '--yes'];
    expect(toActions((await user.run(args)).out)).toEqual([['claude-code', { crm: 'add', named: 'add' }]]);
    const text = user.read('.claude.json');
    expect(text).not.toContain('hunter22');
    const { mcpServers } = JSON.parse(text);
    expect(mcpServers.crm).toMatchObject({
      command: 'npx',
      args: [
        '-y',
        expect.stringMatching(/^@tenon\/cli@/),
        ...['bridge', url, '--auth', 'client-credentials', '--client-id', 'desk'],
        ...['--client-secret-env', 'CRM_CLIENT_SECRET'],
      ],
      env: { CRM_CLIENT_SECRET: '${CRM_CLIENT_SECRET}' },
    });
    expect(mcpServers.named.env).toEqual({ DESK: '${DESK}' });
    // The command is read back as what it is.
    expect(toActions((await user.run(args)).out)).toEqual([['claude-code', { crm: 'keep', named: 'keep' }]]);
  });

  it('skips servers that only a gateway can run, and writes a container as its command', async () => {
    const auth = {
      type: 'client-credentials',
      clientId: 'desk',
      clientSecret: '${S}',
      issuer: 'https://login.example.com',
    };
    user.write(
      CURSOR,
      servers({
        caller: { command: 'a', env: { WHO: '${caller:user}' } },
        secret: { command: 'a', env: { TOKEN: '${file:~/token}' } },
        bound: { url: 'https://crm.example.com/mcp', auth },
        boxed: { docker: { image: 'notes', env: { TOKEN: '${env:TOKEN}' }, volumes: ['${userHome}/notes:/data'] } },
      }),
    );
    const { out } = await user.run(['sync', '--from', 'cursor', '--host', 'claude-code', '--json', '--yes']);
    expect(JSON.parse(out).skipped).toEqual([
      { name: 'caller', reason: expect.stringContaining('values of its caller') },
      { name: 'secret', reason: expect.stringContaining('reads a value from a file') },
      { name: 'bound', reason: expect.stringContaining('`auth.issuer`') },
    ]);
    expect(JSON.parse(user.read('.claude.json')).mcpServers).toEqual({
      boxed: {
        type: 'stdio',
        command: 'docker',
        args: expect.arrayContaining(['--read-only', '--env', 'TOKEN', 'notes']),
        env: { TOKEN: '${TOKEN}' },
      },
    });
  });
});
