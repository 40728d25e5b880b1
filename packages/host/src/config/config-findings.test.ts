// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../test/support/extent.js';
import { createConfigReport, MAX_FINDINGS } from './config-finding.js';
import { joinFindingMessages, listFindingCodes, read, readOne } from './fixtures/read.js';
import { MAX_SERVERS } from './parse-config.js';

describe('findings of a configuration', () => {
  it('name the file, the line and the key, also among comments', async () => {
    const text =
      '// one\r\n{ /* two\nthree */ "mcpServers": {\n\n  "a b": {\n "command": "x",\n "args": [\n"ok", // here\n{}]\n}}}';
    const { findings } = await read(text);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ line: 9, key: 'mcpServers["a b"].args[1]', server: 'a b', level: 'error' });
    expect(findings[0]?.error).toMatchObject({ code: 'config/shape', expected: 'a text', received: 'an object' });
    expect(findings[0]?.error.message).toContain('/p/mcp.json:9: mcpServers["a b"].args[1]: ');
    const apart = await read('{ "mcpServers":\n\n{ "s":\n\n{\n"command":\n\n[] } } }');
    expect(apart.findings[0]).toMatchObject({ line: 6, key: 'mcpServers.s.command' });
    const entry = (await read('{ "mcpServers": {\n"s":\n\n{ "command": "x" } } }')).entries[0];
    expect(entry?.origin?.line).toBe(2);
  });

  it.each<[entry: object, summary: string, hint: string | undefined]>([
    [
      { type: 'stdio', url: 'https://a.example' },
      'the server has no command, which its transport needs',
      'correct `type`',
    ],
    [{ type: 'http', command: 'x' }, 'the server has no URL, which its transport needs', 'correct `type`'],
    [{ type: 'sse' }, 'the server has no URL, which its transport needs', undefined],
    [{}, 'the server has no command and no URL', undefined],
  ])('name what the transport of a server needs: %j', async (entry, summary, hint) => {
    const { findings } = await readOne(entry);
    expect(findings).toHaveLength(1);
    expect(findings[0]?.error.message).toContain(`mcpServers.s: ${summary}`);
    expect(findings[0]?.error.hint).toBe(hint);
  });

  it.each([0, -1, 1e300])('show the number %d, which is no timeout, without a guess at its unit', async timeout => {
    const { findings } = await readOne({ command: 'x', timeout });
    expect(findings.map(({ error }) => error.received)).toEqual([String(timeout)]);
  });

  it('warn of values that a server at a URL ignores, except empty ones', async () => {
    const url = 'https://a.example';
    const values = { args: ['x'], env: { A: '1' }, envFile: '.env', cwd: '/tmp' };
    expect(listFindingCodes(await readOne({ url, ...values }))).toEqual(
      Object.keys(values).map(key => `warning config/not-followed mcpServers.s.${key}`),
    );
    expect(listFindingCodes(await readOne({ url, args: [], env: {}, envFile: '' }))).toEqual([]);
  });

  it('leave the other servers usable', async () => {
    const servers = {
      a: { command: 'x' },
      b: { command: 7n.toString(), args: 'y' },
      c: [],
      d: { url: 'https://d.example' },
    };
    const config = await read(JSON.stringify({ mcpServers: servers }));
    expect(config.entries.map(({ name }) => name)).toEqual(['a', 'd']);
    expect(listFindingCodes(config)).toEqual([
      'error config/shape mcpServers.b.args',
      'error config/shape mcpServers.c',
    ]);
  });

  it('include incomplete text', async () => {
    const config = await read('{\n"mcpServers": {\n"a": { "command": "x" }\n"b": { "command": "y" }\n}}');
    expect(config.entries).toEqual([]);
    expect(config.findings).toMatchObject([{ line: 4, error: { code: 'config/syntax' } }]);
    for (const text of ['', '  ', '// nothing', '{', '{"mcpServers": tru}', 'mcpServers: {}'])
      expect(listFindingCodes(await read(text)), text).toEqual(['error config/syntax ']);
  });

  it('include excess of depth, size, servers and findings', async () => {
    expect(listFindingCodes(await read(`${'['.repeat(200_000)}`))).toEqual(['error config/too-large ']);
    expect(listFindingCodes(await read(' '.repeat(9 * 2 ** 20)))).toEqual(['error config/too-large ']);
    expect(listFindingCodes(await read(`[${'0,'.repeat(2 ** 20)}]`))).toEqual(['error config/too-large ']);
    const many = Object.fromEntries(Array.from({ length: MAX_SERVERS + 1 }, (_, at) => [`s${at}`, { command: 'x' }]));
    const config = await read(JSON.stringify({ mcpServers: many }));
    expect(config.entries).toHaveLength(MAX_SERVERS);
    expect(listFindingCodes(config)).toEqual([`error config/too-large mcpServers.s${MAX_SERVERS}`]);
    const wrong = Object.fromEntries(Array.from({ length: MAX_FINDINGS + 1 }, (_, at) => [`s${at}`, 1]));
    expect((await read(JSON.stringify({ mcpServers: wrong }))).findings).toHaveLength(MAX_FINDINGS);
    expect(listFindingCodes(await readOne({ command: 'x', args: Array(1001).fill('y') }))).toEqual([
      'error config/too-large mcpServers.s.args',
    ]);
  });

  it('are limited in number without further checks', () => {
    const { findings, report } = createConfigReport('f', () => undefined);
    let found = 0;
    const details = () => ({ hint: `${++found}` });
    for (let left = MAX_FINDINGS + 9; left > 0; left--)
      report('warning', 'config/x', { path: [], line: 1 }, 'x', details);
    expect([findings.length, found]).toEqual([MAX_FINDINGS, MAX_FINDINGS]);
  });

  it('include two servers, or keys, with one name', async () => {
    const config = await read('{"mcpServers":{"a":{"command":"x"},\n"a":{"command":"y"},"b":{"command":"z"}}}');
    expect(config.entries.map(({ name }) => name)).toEqual(['b']);
    expect(config.findings).toMatchObject([{ line: 2, key: 'mcpServers.a', error: { code: 'config/duplicate-key' } }]);
    for (const text of [
      '{"mcpServers":{"a":{"command":"x","command":"y"}}}',
      '{"mcpServers":{"a":{"command":"x","env":{"A":"1","A":"2"}}}}',
      '{"mcpServers":{"a":{"command":"x"}},"mcpServers":{}}',
      '{"mcpServers":{"a":{"command":"x"}},"servers":{"a":{"command":"y"}}}',
    ]) {
      const twice = await read(text);
      expect(twice.entries, text).toEqual([]);
      expect(twice.findings[0]?.error.code, text).toBe('config/duplicate-key');
    }
  });

  it('name the key that was meant', async () => {
    const config = await readOne({ command: 'x', agrs: [], 'env-file': 'y', whatever: 1 });
    expect(listFindingCodes(config)).toEqual([
      'warning config/unknown-key mcpServers.s.agrs',
      'warning config/unknown-key mcpServers.s.env-file',
      'warning config/unknown-key mcpServers.s.whatever',
    ]);
    expect(joinFindingMessages(config)).toContain('Did you mean "args"?');
    expect(joinFindingMessages(config)).toContain('Did you mean "envFile"?');
    expect(config.entries).toHaveLength(1);
    expect(joinFindingMessages(await read('{"mcpserver":{}}'))).toContain('Did you mean "mcpServers"?');
    expect(listFindingCodes(await read('{"theme":1}'))).toEqual(['warning config/no-servers ']);
    expect(listFindingCodes(await read('[]'))).toEqual(['error config/shape ']);
  });

  it.each([
    [{ tools: { includes: ['a'] } }, 'tools.includes'],
    [{ tools: { include: ['a'], excludes: ['b'] } }, 'tools.excludes'],
    [{ tools: { overrides: { a: { hidden: true } } } }, 'tools.overrides.a.hidden'],
    [{ tools: ['a'], whatever: 1 }, 'whatever'],
    [{ includeTools: ['a'], note2: 'x' }, 'note2'],
    [{ disable: true }, 'disable'],
    [{ Disabled: true }, 'Disabled'],
    [{ isActive: false }, 'isActive'],
    [{ tool_allowlist: ['a'] }, 'tool_allowlist'],
    [{ permittedTools: ['a'] }, 'permittedTools'],
    [{ toolFilter: { mode: 'allow' } }, 'toolFilter'],
    [{ readOnly: true }, 'readOnly'],
    [{ sandBoxEnable: true }, 'sandBoxEnable'],
  ])('refuse an entry whose unknown key may restrict it: %j', async (keys, key) => {
    const config = await readOne({ command: 'x', ...keys });
    expect(listFindingCodes(config)).toEqual([`error config/unknown-key mcpServers.s.${key}`]);
    expect(config.entries).toEqual([]);
  });

  it.each([
    { disable: false },
    { isActive: true },
    { alwaysAllowed: ['a'] },
    { tools: ['*'], whatever: 1 },
    { toolTimeout: 60 },
    { disabled: true, toolFilters: ['a'] },
  ])('only warn of a key that restricts nothing: %j', async keys => {
    const config = await readOne({ command: 'x', ...keys });
    expect(listFindingCodes(config)).toHaveLength(1);
    expect(listFindingCodes(config)[0]).toMatch(/^warning config\/unknown-key/);
    expect(config.entries).toHaveLength(1);
  });

  it('refuse a restriction beside the nested command of Zed', async () => {
    const config = await read('{"context_servers":{"s":{"command":{"path":"x","args":[],"disable":true}}}}');
    expect(listFindingCodes(config)).toEqual(['error config/unknown-key context_servers.s.command.disable']);
    expect(config.entries).toEqual([]);
  });

  it('refuse an input whose misspelled `password` would show a secret', async () => {
    const config = await read('{"inputs":[{"id":"a","pasword":true}],"servers":{"s":{"command":"x"}}}');
    expect(listFindingCodes(config)).toEqual(['error config/unknown-key inputs[0].pasword']);
  });

  it.each([
    [{}, 'error config/target mcpServers.s'],
    [{ command: 'x', url: 'https://a.example' }, 'error config/target mcpServers.s.url'],
    [{ type: 'http', command: 'x' }, 'error config/target mcpServers.s'],
    [{ type: 'stdio', url: 'https://a.example' }, 'error config/target mcpServers.s'],
    [{ type: 'http', transport: 'sse', url: 'https://a.example' }, 'error config/target mcpServers.s'],
    [{ url: 'https://a.example', serverUrl: 'https://b.example' }, 'error config/target mcpServers.s.serverUrl'],
    [{ type: 'ws', url: 'https://a.example' }, 'error config/shape mcpServers.s.type'],
    [{ type: 'constructor', url: 'https://a.example' }, 'error config/shape mcpServers.s.type'],
    [{ command: ' ' }, 'error config/target mcpServers.s.command'],
    [{ command: 'a\0b' }, 'error config/shape mcpServers.s.command'],
    [{ command: 'x', env: { 'A=B': '1' } }, 'error config/shape mcpServers.s.env'],
    [{ command: 'x', env: [] }, 'error config/shape mcpServers.s.env'],
    [{ command: 'x', envFile: 'y' }, 'error config/env-file mcpServers.s.envFile'],
    [{ command: 'x', disabled: 'yes' }, 'error config/shape mcpServers.s.disabled'],
    [{ command: 'x', tools: { include: [''] } }, 'error config/shape mcpServers.s.tools.include'],
    [{ command: 'x', startTimeout: 0 }, 'error config/shape mcpServers.s.startTimeout'],
    [{ command: 'x', timeout: '60' }, 'error config/shape mcpServers.s.timeout'],
    [{ command: 'x', totalTimeout: 2 ** 31 }, 'error config/shape mcpServers.s.totalTimeout'],
    [{ command: 'x', sandboxEnabled: true }, 'error config/sandbox mcpServers.s.sandboxEnabled'],
    [{ url: 'ftp://a.example' }, 'error config/url mcpServers.s.url'],
    [{ url: 'nonsense' }, 'error config/url mcpServers.s.url'],
    [{ url: 'https://me:hush@a.example' }, 'error config/url mcpServers.s.url'],
    [{ url: 'https://a.example', headers: { A: 'b\r\nC: d' } }, 'error config/header mcpServers.s.headers.A'],
    [{ url: 'https://a.example', headers: { 'A B': 'c' } }, 'error config/header mcpServers.s.headers["A B"]'],
  ])('refuse %j', async (server, error) => {
    const config = await readOne(server);
    expect(listFindingCodes(config)).toEqual([error]);
    expect(config.entries).toEqual([]);
  });

  it.each([
    [{ command: 'npx -y server' }, 'warning config/command-line mcpServers.s.command'],
    [{ command: 'x', headers: {} }, 'warning config/not-followed mcpServers.s.headers'],
    [{ url: 'http://a.example', headers: { A: 'b' } }, 'warning config/plain-http mcpServers.s.url'],
    [{ url: 'https://a.example', headersHelper: 'get.sh' }, 'warning config/not-followed mcpServers.s.headersHelper'],
    [{ type: 'stdio', command: 'x', url: 'https://a.example' }, 'warning config/not-followed mcpServers.s.url'],
    [{ command: 'x', timeout: 60 }, 'warning config/time-unit mcpServers.s.timeout'],
    [{ command: 'x', timeout: 1800, autoApprove: [] }, 'warning config/time-unit mcpServers.s.timeout'],
  ])('warn of %j', async (server, error) => {
    const config = await readOne(server);
    expect(listFindingCodes(config)).toContain(error);
    expect(config.entries).toHaveLength(1);
  });

  it.each([
    { url: 'http://localhost/mcp', headers: { A: 'b' } },
    { url: 'http://127.0.0.1:80/mcp', headers: { A: 'b' } },
    { url: 'http://[::1]/mcp', headers: { A: 'b' } },
    { url: 'http://a.example/mcp' },
    { command: 'C:\\Program Files\\x.exe' },
    { command: 'x y', args: ['z'] },
  ])('are absent for %j', async server => {
    expect(listFindingCodes(await readOne(server))).toEqual([]);
  });

  it('allow a short `timeout` in seconds, unless a key of this project is set', async () => {
    expect((await readOne({ command: 'x', timeout: 60 })).entries[0]).toMatchObject({ totalTimeout: 60_000 });
    expect((await readOne({ command: 'x', timeout: 1800 })).entries[0]).toMatchObject({ totalTimeout: 1800 });
    expect(await readOne({ command: 'x', timeout: 5000, alwaysAllow: [] })).toMatchObject({
      entries: [{ totalTimeout: 5000 }],
      findings: [{ key: 'mcpServers.s.alwaysAllow' }],
    });
    expect((await readOne({ command: 'x', timeout: 5000, idleTimeout: 9 })).entries[0]).toMatchObject({
      totalTimeout: 5000,
      idleTimeout: 9,
    });
  });

  it('allow the credentials of a service account, and report other forms of `auth`', async () => {
    const url = 'https://a.example/mcp';
    const auth = { type: 'client-credentials', clientId: 'one', clientSecret: 'two', scopes: 'a b' };
    expect(await readOne({ url, auth })).toMatchObject({
      entries: [{ serviceAccount: { clientId: 'one', clientSecret: 'two', scopes: 'a b' } }],
      findings: [],
    });
    expect(listFindingCodes(await readOne({ url, auth: 'oauth' }))).toEqual([
      'warning config/not-followed mcpServers.s.auth',
    ]);
    for (const wrong of [{ clientSecret: undefined }, { privateKey: 'x' }, { clientId: undefined }])
      expect(listFindingCodes(await readOne({ url, auth: { ...auth, ...wrong } }))).toEqual([
        'error config/shape mcpServers.s.auth',
      ]);
    expect(listFindingCodes(await readOne({ url, auth: { ...auth, secret: 'x' } }))).toEqual([
      'error config/shape mcpServers.s.auth.secret',
    ]);
    expect(listFindingCodes(await readOne({ command: 'x', auth }))).toEqual(['error config/target mcpServers.s.auth']);
  });

  it('allow a `timeout`, which does not limit the start of a server', async () => {
    const { entries } = await readOne({ command: 'x', timeout: 5000 });
    expect(entries[0]).toMatchObject({ totalTimeout: 5000 });
    expect(entries[0]).not.toHaveProperty('startTimeout');
  });

  it.each(['', ' ', 'a\nb', '\u001b[31m', 'x'.repeat(257)])('refuse the name %j', async name => {
    const config = await read(JSON.stringify({ mcpServers: { [name]: { command: 'x' } } }));
    expect(config.findings[0]?.error.code).toBe('config/name');
    expect(joinFindingMessages(config)).not.toMatch(/[\u0000-\u0009\u001b]/);
    expect(joinFindingMessages(config).length).toBeLessThan(300);
  });

  it('allow names of Object.prototype', async () => {
    const text = '{"mcpServers":{"__proto__":{"command":"x","env":{"__proto__":"y"}},"constructor":{"command":"z"}}}';
    const { entries } = await read(text);
    expect(entries.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
    expect(Object.entries((entries[0]?.target as { env?: object } | undefined)?.env ?? {})).toEqual([
      ['__proto__', 'y'],
    ]);
  });

  it('show no value that could be a secret', async () => {
    const hush = 'hush-7f3a';
    const wrongs: object[] = [
      { url: `nonsense ${hush}` },
      { url: `https://me:${hush}@a.example` },
      { url: 'https://a.example', headers: { A: `${hush}\n` } },
      { url: 'https://a.example', headers: { A: { b: hush } } },
      { command: 'x', env: { A: [hush] } },
      { command: `x\0${hush}` },
      { command: 'x', args: [`\${nope:-x:${hush}}`, `\${what:${hush}}`, `\${KEY.${hush}}`] },
      { type: hush, command: 'x' },
      { command: 'x', timeout: hush },
      { command: 'x', args: ['${A}'], env: { T: '${T}' } },
    ];
    for (const wrong of wrongs) {
      const config = await readOne(wrong, { T: `${hush}\0` });
      expect(config.entries).toEqual([]);
      expect(joinFindingMessages(config)).not.toContain(hush);
    }
  });

  it('never throw for any JSON', async () => {
    const key = fc.oneof(
      fc.constantFrom(
        'mcpServers',
        'servers',
        'mcp',
        'inputs',
        'context_servers',
        'a',
        'command',
        'args',
        'env',
        'url',
      ),
      fc.constantFrom('type', 'headers', 'tools', 'roots', 'timeout', 'envFile', 'cwd', '__proto__', 'id', 'options'),
      fc.string(),
    );
    const leaf = fc.oneof(
      fc.constantFrom('stdio', 'http', '${A}', '${A:-${B}}', '${input:a}', '${', '$${x}', 'https://a.example'),
      ...[fc.string(), fc.double(), fc.boolean(), fc.constant(null)],
    );
    const { value } = fc.letrec<{ value: unknown }>(tie => ({
      value: fc.oneof(
        { depthSize: 'medium' },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(key, tie('value'), { maxKeys: 5 }),
      ),
    }));
    const within = fc.oneof(
      value,
      fc.record({ mcpServers: fc.dictionary(key, fc.dictionary(key, value)), inputs: fc.array(value) }),
    );
    await fc.assert(
      fc.asyncProperty(within, async json => {
        const { entries, findings } = await read(JSON.stringify(json), { A: 'x' });
        for (const { target } of entries)
          if ('url' in target) expect(typeof target.url).toBe('string');
          else expect(target.command.trim()).not.toBe('');
        const bad = new Set(findings.flatMap(({ level, server }) => (level === 'error' ? [server] : [])));
        for (const { name } of entries) expect(bad).not.toContain(name);
        for (const { error, line } of findings) {
          expect(error.code).toMatch(/^config\//);
          expect(line).toBe(1);
        }
      }),
      { numRuns: takeRuns(300) },
    );
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async text => {
        await read(text);
      }),
    );
  });
});
