import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, TenonError } from 'tenon';
import { expect, it } from 'vitest';
import { describeError, getHint } from './error-hints.js';

it('replaces a next step that names an option of the library', () => {
  const error = new TenonError('host/too-many-connections', 'all are in use', {
    hint: 'raise `maxConnectionsPerServer`',
  });
  expect(describeError(error)).toBe('all are in use. Try again later, or raise --max of `tenon bridge`.');
});

it.each([
  ['EACCES', "EACCES: permission denied, open 'a.lock'. Check that you may write this file and its folder."],
  ['ENOSPC', "ENOSPC: permission denied, open 'a.lock'. Free space on the disk, and run the command again."],
  ['EOTHER', "EOTHER: permission denied, open 'a.lock'"],
])('prints a next step for %s of the system', (code, message) => {
  const error = Object.assign(new Error(`${code}: permission denied, open 'a.lock'`), { code });
  expect(describeError(error)).toBe(message);
  // Other errors have texts of their own, such as "cannot read".
  expect(getHint(new TenonError('audit/write', 'failed', { cause: error }))).toBeUndefined();
});

it('prints a next step also in text for an error without one', () => {
  expect(describeError(new TenonError('mock/server', 'several servers: a, b'))).toBe(
    'several servers: a, b. Pass --server NAME with one of the servers that the message lists.',
  );
});

it.each([
  [{ server: 'notes', code: 'stdio/spawn' }, 'see the state of the servers with `tenon gateway status`'],
  [{ unavailable: [{ server: 'notes', reason: 'it does not start' }] }, '`tenon gateway status`'],
  [{ server: 'notes' }, 'read the message of the server'],
  [undefined, 'read the message of the server'],
])('names the state of a gateway for an error with the data %j', (data, hint) => {
  const error = new TenonError('peer/error', 'failed', { rpcCode: -32603, ...(data ? { data } : {}) });
  expect(getHint(error)).toContain(hint);
});

it('tells the user to open the URLs that a server requires before the call', () => {
  const data = { elicitations: [{ mode: 'url', elicitationId: '1', url: 'https://example.com/pay', message: 'Pay' }] };
  const error = new TenonError('peer/error', 'The user must visit a URL first', { rpcCode: -32042, data });
  expect(getHint(error)).toMatch(/each URL in `elicitations`.*run the command again/);
});

it.each(['config/unreadable', 'recording/empty', 'recording/invalid', 'recording/server'])(
  'gives a next step for %s, whose errors have none',
  code => {
    expect(getHint(new TenonError(code, 'x'))).toMatch(/^[a-z].{20}/);
  },
);

it('names the options of a client that a user must register', () => {
  const hint = getHint(new TenonError('auth/registration', 'refused', { hint: 'pass `client: { id }`' }));
  expect(hint).toMatch(/--client-id ID.*--redirect-uri URI/);
});

it('names the options with a token for a URL with credentials', async () => {
  const refused = await connect('http://user:secret@127.0.0.1:1/mcp').catch((error: unknown) => error);
  expect(describeError(refused)).toContain('pass a token: with --bearer-env NAME');
  expect(describeError(refused)).not.toMatch(/secret|headers: \{/);
});

it('names the options with a token for HTTP 401', () => {
  const error = new TenonError('http/status', 'refused', { status: 401, hint: 'pass `auth` to `connect`' });
  expect(getHint(error)).toContain('--bearer-env');
  expect(describeError(error)).not.toContain('`auth`');
});

it.each([
  ['missing API_KEY', 'API_KEY'],
  ['Error: DATABASE_URL must be set', 'DATABASE_URL'],
  ['Error [ERR_MODULE_NOT_FOUND]: missing package', undefined],
  ["code: 'MODULE_NOT_FOUND', required by", undefined],
  ['missing semicolon', undefined],
])('finds the environment variable that a server lacks: %s', (line, name) => {
  const summary = `the server exited with code 1: last lines of stderr:\n  ${line}`;
  const hint = getHint(new TenonError('stdio/exited', summary, { hint: 'read it' }));
  expect(hint).toEqual(name === undefined ? 'read it' : expect.stringContaining(`--pass ${name} or --env ${name}=`));
});

it.each([
  ['https://as', 'https://as/', '--auth-exception ignoreIssuerSlash'],
  ['https://as/', 'https://as', '--auth-exception ignoreIssuerSlash'],
  ['https://as', 'https://other', '--auth-exception issuer=URL'],
])(
  'names the exception and the attack where the issuer is %s and its metadata say %s',
  (expected, received, option) => {
    const error = new TenonError('auth/issuer-mismatch', 'mismatch', { expected, received, hint: 'set `exceptions`' });
    expect(getHint(error)).toMatch(/impersonate/);
    expect(getHint(error)).toContain(option);
  },
);

it('names the exception for an authorization server that does not announce PKCE', () => {
  expect(getHint(new TenonError('auth/no-pkce', 'no PKCE', { received: 'none' }))).toContain('assumePkce');
  expect(getHint(new TenonError('auth/no-pkce', 'no PKCE', { received: 'plain', hint: 'enable it' }))).toBe(
    'enable it',
  );
});

it.each([
  ['call/timeout', 'allow more time with --timeout'],
  ['peer/unreadable', undefined],
  ['stdio/line-too-long', 'ask the author of the server to split the data into pages or links'],
])('tells to check the effect first after %s of a call that the server may have executed', (code, next) => {
  const advice = 'check the effect before you repeat the call';
  const open = new TenonError(code, 'x', { hint: `${advice}, first`, data: { outcome: 'unknown' } });
  expect(getHint(open)).toBe(next === undefined ? `${advice}, first` : `${advice}; then ${next}`);
  expect(getHint(new TenonError(code, 'x'))).toBe(next);
});

it('gives a next step for an error without a hint, and prefers the hint of the error', () => {
  const hint = 'raise the limit';
  expect(getHint(new TenonError('http/too-large', 'too large'))).toBe('ask for less, such as one page or a filter');
  expect(getHint(new TenonError('http/too-large', 'too large', { hint }))).toBe(hint);
  expect(getHint(new TenonError('console/cancelled', 'cancelled'))).toContain('repeat the call');
});

it('leaves other messages unchanged', () => {
  const error = new TenonError('config/not-found', 'there is no file', { hint: 'write the file' });
  expect(describeError(error)).toBe('there is no file. Write the file.');
  expect(describeError(new Error('other'))).toBe('other');
});

/** Folders of the library whose errors reach users of the command, and places of errors that do not. */
const REACHABLE = [
  'tenon/src/auth/client',
  'tenon/src/auth/oauth',
  'tenon/src/client',
  'tenon/src/jsonrpc',
  'tenon/src/protocol/negotiation',
  'tenon/src/transports/http/client',
  'tenon/src/transports/http-sse',
  'tenon/src/transports/stdio',
  'tenon/src/runtimes/node/http',
  'base/src/errors',
  'base/src/net',
  'base/src/oauth',
  'host/src/connections',
  'host/src/security/lock',
];
const UNREACHABLE = [
  'connect/caller',
  'connection/used',
  'connection/not-open',
  'connect/no-processes',
  'serve/handler',
  'task/ttl',
  'auth/options',
];

it('replaces each next step of the library that names its functions and options', async () => {
  const packages = join(import.meta.dirname, '../..');
  const files = await Promise.all(
    REACHABLE.map(async folder =>
      (await readdir(join(packages, folder), { recursive: true })).map(name => join(packages, folder, name)),
    ),
  );
  const sources = files.flat().filter(file => file.endsWith('.ts') && !/\.test\.|fixtures/.test(file));
  const raw: string[] = [];
  let found = 0;
  for (const file of sources) {
    const text = await readFile(file, 'utf8');
    // Each piece begins with a code, and ends before the next error.
    for (const piece of text.split(/new TenonError\(\s*/).slice(1)) {
      const [, code = ''] = /^'([a-z0-9-]+\/[a-z0-9-]+)'/.exec(piece) ?? [];
      const [, , hint = ''] = /hint:\s*(['`])((?:\\.|(?!\1)[\s\S])*)\1/.exec(piece.slice(0, 900)) ?? [];
      if (code === '' || !/`/.test(hint) || UNREACHABLE.includes(code)) continue;
      found += 1;
      const shown = getHint(new TenonError(code, 'x', { hint })) ?? '';
      const named = [...shown.matchAll(/\\?`([^`\\]+)\\?`/g)].map(([, term = '']) => term);
      const isOfCommand = (term: string) => /^(?:tenon|npm|npx|chmod) |^(?:startTimeout|http:\/\/|\$\{)/.test(term);
      if (!named.every(isOfCommand)) raw.push(`${code}: ${shown}`);
    }
  }
  expect(found).toBeGreaterThan(15);
  expect(raw).toEqual([]);
});
