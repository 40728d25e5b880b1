// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../tenon/src/stores/memory-stores.js';
import { fillTemplates, findTemplateIssues, MAX_CALLER_VALUE } from './caller-template.js';
import { fillCallerValues } from './fill-caller-values.js';
import { joinFindingMessages, listFindingCodes, readOne } from './fixtures/read.js';
import { createTrust } from './trust.js';

const URL_ = 'https://api.example.com';

/** Reads the templates of one server. */
const templatesOf = async (server: object, env?: Record<string, string>) => {
  const config = await readOne(server, env);
  expect(listFindingCodes(config)).toEqual([]);
  return config.entries[0]?.perCaller;
};

describe('values of the caller in a configuration', () => {
  it('keeps them as templates in `env`, `headers` and the path and query of `url`', async () => {
    const config = await readOne({
      url: `${URL_}/u/\${caller:user}/mcp?p=\${caller:header.x-project}`,
      headers: { 'X-Tenant': 'acme-${caller:claim.tenant}', 'X-Fixed': 'one' },
    });
    expect(listFindingCodes(config)).toEqual([]);
    expect(config.entries[0]).toMatchObject({
      target: {
        url: `${URL_}/u/%7Bcaller%3Auser%7D/mcp?p=%7Bcaller%3Aheader.x-project%7D`,
        headers: { 'X-Fixed': 'one' },
      },
      perCaller: {
        url: `${URL_}/u/\${caller:user}/mcp?p=\${caller:header.x-project}`,
        headers: { 'X-Tenant': 'acme-${caller:claim.tenant}' },
      },
    });
    expect(await templatesOf({ command: 'a', env: { WHO: '${caller:user:-nobody}', B: 'x' } })).toEqual({
      env: { WHO: '${caller:user:-nobody}' },
    });
  });

  it('reads other variables in the same value once, and never expands what they contain', async () => {
    const perCaller = await templatesOf(
      { command: 'a', env: { WHO: '${PREFIX}-$${x}-${caller:user}' } },
      { PREFIX: '${caller:session}' },
    );
    expect(fillTemplates('s', perCaller ?? {}, { user: 'ada' }).env).toEqual({ WHO: '${caller:session}-${x}-ada' });
    const plain = await readOne({ command: 'a', env: { A: '${PREFIX}-$${x}' } }, { PREFIX: '${caller:user}' });
    expect(plain.entries[0]).toMatchObject({ target: { env: { A: '${caller:user}-${x}' } } });
    expect(plain.entries[0]).not.toHaveProperty('perCaller');
  });

  it.each([
    [{ command: '${caller:user}' }, 'mcpServers.s.command'],
    [{ command: 'a', args: ['--user', '${caller:user}'] }, 'mcpServers.s.args[1]'],
    [{ command: 'a', cwd: '/home/${caller:user}' }, 'mcpServers.s.cwd'],
    [{ command: 'a', args: ['${NOT_SET:-${caller:user}}'] }, 'mcpServers.s.args[0]'],
    [{ command: 'a', envFile: '${caller:user}.env' }, 'mcpServers.s.envFile'],
    [{ command: 'a', roots: ['/home/${caller:user}'] }, 'mcpServers.s.roots[0]'],
    [{ url: 'https://${caller:user}.example.com/mcp' }, 'mcpServers.s.url'],
    [{ url: '${caller:header.x-scheme}://example.com/mcp' }, 'mcpServers.s.url'],
    [{ url: 'https://example.com:${caller:claim.port}/mcp' }, 'mcpServers.s.url'],
    [{ url: 'https://example.com${caller:user}/mcp' }, 'mcpServers.s.url'],
    [{ url: 'https://u:${caller:user}@example.com/mcp' }, 'mcpServers.s.url'],
    [{ url: 'https://example.com\\${caller:user}' }, 'mcpServers.s.url'],
    [{ url: `${URL_}/mcp#\${caller:user}` }, 'mcpServers.s.url'],
    [{ command: 'a', env: { LD_PRELOAD: '${caller:user}' } }, 'mcpServers.s.env.LD_PRELOAD'],
    [{ command: 'a', env: { NODE_OPTIONS: '${caller:user}' } }, 'mcpServers.s.env.NODE_OPTIONS'],
    [{ command: 'a', env: { GIT_DIR: '${caller:user}' } }, 'mcpServers.s.env.GIT_DIR'],
    [{ command: 'a', env: { NODE_COMPILE_CACHE: '${caller:user}' } }, 'mcpServers.s.env.NODE_COMPILE_CACHE'],
    [{ command: 'a', env: { AWS_CONFIG_FILE: '${caller:user}' } }, 'mcpServers.s.env.AWS_CONFIG_FILE'],
    [{ command: 'a', env: { LESSOPEN: '${caller:user}' } }, 'mcpServers.s.env.LESSOPEN'],
    [{ url: URL_, headers: { Host: '${caller:user}' } }, 'mcpServers.s.headers.Host'],
    [{ url: URL_, headers: { A: '${caller:header.authorization}' } }, 'mcpServers.s.headers.A'],
    [{ url: URL_, headers: { A: '${caller:header.Cookie}' } }, 'mcpServers.s.headers.A'],
    [{ url: URL_, headers: { A: '${caller:password}' } }, 'mcpServers.s.headers.A'],
    [{ url: URL_, headers: { A: '${caller:user:-${HOME}}' } }, 'mcpServers.s.headers.A'],
    [{ docker: { image: 'a/${caller:user}' } }, 'mcpServers.s.docker.image'],
    [{ docker: { image: 'a', args: ['${caller:user}'] } }, 'mcpServers.s.docker.args[0]'],
    [
      { url: URL_, auth: { type: 'client-credentials', clientId: '${caller:user}', clientSecret: 'x' } },
      'mcpServers.s.auth.clientId',
    ],
  ])('refuses them elsewhere, and names the member: %j', async (server, key) => {
    const config = await readOne(server);
    expect(config.entries).toEqual([]);
    expect(listFindingCodes(config)).toContain(`error config/caller-value ${key}`);
  });

  it('explains the refusal with a safe next step', async () => {
    expect(joinFindingMessages(await readOne({ command: 'a', args: ['${caller:user}'] }))).toContain(
      'mcpServers.s.args[0]: a value of the caller is not allowed here, because a caller could then choose what runs, or where. Expected it only in values of `env` and `headers`, and in the path and the query of `url`. Pass the value to the server by `env` or `headers`',
    );
  });

  it('asks for another approval when a template of a project changes', async () => {
    const trust = createTrust({ values: memoryStores().values, ask: () => true });
    const entry = async (text: string) => {
      const config = await readOne({ command: 'a', env: { WHO: text } }, {}, { scope: 'project' });
      return config.entries[0]!;
    };
    await trust.approve(await entry('${caller:user}'));
    expect(await trust.getQuestion(await entry('${caller:user}'))).toBeUndefined();
    expect(await trust.getQuestion(await entry('${caller:session}'))).toMatchObject({
      changes: [{ key: 'env.WHO', before: '${caller:user}', after: '${caller:session}' }],
    });
  });
});

describe('fillTemplates', () => {
  const fillUrl = (user: string, url = `${URL_}/u/\${caller:user}/mcp?p=\${caller:user}`) =>
    fillTemplates('notes', { url }, { user }).url;

  it('percent-encodes values in a URL, so that a value cannot reach another host, path or parameter', () => {
    expect(fillUrl('a b?c=1&d#e%2f@ü')).toBe(
      `${URL_}/u/a%20b%3Fc%3D1%26d%23e%252f%40%C3%BC/mcp?p=a%20b%3Fc%3D1%26d%23e%252f%40%C3%BC`,
    );
    expect(new URL(fillUrl('@evil.example') ?? '').host).toBe('api.example.com');
    expect(fillUrl('https://idp/u', `${URL_}/mcp?p=\${caller:user}`)).toBe(`${URL_}/mcp?p=https%3A%2F%2Fidp%2Fu`);
  });

  it.each([
    '..',
    '.',
    'a/b',
    '../admin',
    'a\\b',
    '',
    'a\nb',
    'a\0b',
    'a\u2028b',
    'a\ud800',
    'x'.repeat(MAX_CALLER_VALUE + 1),
  ])('refuses a value that a path cannot contain: %j', value =>
    expect(() => fillUrl(value)).toThrow(expect.objectContaining({ code: 'host/caller-value' })),
  );

  it('refuses a value that becomes a segment of dots beside the text of the path', () => {
    expect(() => fillUrl('.', `${URL_}/.\${caller:user}/mcp`)).toThrow('a path segment of dots');
    expect(() => fillUrl('.', `${URL_}/%2e\${caller:user}/mcp`)).toThrow('a path segment of dots');
    expect(fillUrl('.', `${URL_}/a\${caller:user}/mcp`)).toBe(`${URL_}/a./mcp`);
  });

  it('refuses control characters in variables and headers, and characters that headers cannot have', () => {
    const fill = (value: string) => fillTemplates('notes', { headers: { A: '${caller:user}' } }, { user: value });
    expect(fill('ada@example.com').headers).toEqual({ A: 'ada@example.com' });
    for (const value of ['a\r\nX-Admin: 1', 'a\tb', '日本']) expect(() => fill(value)).toThrow('cannot use the value');
    expect(() => fillTemplates('notes', { env: { A: '${caller:user}' } }, { user: 'a\nb' })).toThrow(
      'cannot use the value `user` of its caller',
    );
  });

  it('never shows the value in the error', () => {
    expect(() => fillUrl('hunter22/x')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter22') }),
    );
  });

  it('uses the default for a missing value, and names a missing value without one', () => {
    expect(fillTemplates('notes', { env: { A: '${caller:user:-nobody}' } }, {}).env).toEqual({ A: 'nobody' });
    expect(() => fillTemplates('notes', { env: { A: '${caller:header.x-project}' } }, {})).toThrow(
      'the server "notes" needs the value `header.x-project` of its caller. Expected the header `x-project` in the request, got a caller without it. Send it, or set a default in the configuration: ${caller:header.x-project:-…}',
    );
    expect(() => fillTemplates('notes', { env: { A: '${caller:user}' } }, Object.create({ user: 'x' }))).toThrow();
  });

  it('fills the target of an entry', () => {
    const entry = { name: 's', target: { command: 'a', env: { B: 'b' } }, perCaller: { env: { A: '${caller:user}' } } };
    expect(fillCallerValues(entry, { user: 'ada' })).toEqual({ command: 'a', env: { A: 'ada', B: 'b' } });
  });
});

describe('findTemplateIssues', () => {
  it('finds templates of a program that a configuration refuses', () => {
    expect(findTemplateIssues({ env: { PATH: '${caller:user}' }, url: 'https://${caller:user}/' })).toMatchObject([
      { key: 'env.PATH' },
      { key: 'url' },
    ]);
    expect(findTemplateIssues({ env: { A: '${HOME}' } })).toMatchObject([{ key: 'env.A' }]);
  });
});
