// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so

import { type AuthInfo, type CallerIdentity, TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import type { Client } from '../../../tenon/src/client/client.js';
import type { ClientOptions } from '../../../tenon/src/client/options.js';
import { getDialect, getNewestDialect } from '../../../tenon/src/protocol/versions/index.js';
import type { ClientSession } from '../../../tenon/src/server/request-context.js';
import type { RequesterInfo } from '../../../tenon/src/server/server-runtime.js';
import type { CallerTemplates, CallerValues } from '../config/caller-template.js';
import { CallerLimit } from './caller-limit.js';
import { readCallerValues } from './caller-values.js';
import { createConnectionScope } from './connection-scope.js';
import { createFakeConnection, factsOf, sessionNamed, turns } from './fixtures/stand-in.js';
import { ProcessLimit } from './process-limit.js';
import { UpstreamServer, type UpstreamServerOptions } from './upstream-server.js';

interface Requester {
  readonly auth?: AuthInfo;
  readonly headers?: Readonly<Record<string, string>>;
  readonly session?: ClientSession;
  readonly address?: string;
}

function createRequester({ auth, headers, session, address }: Requester): RequesterInfo {
  const dialect = session ? getDialect('2025-11-25') : undefined;
  return {
    caller: { client: undefined, capabilities: {}, auth, address },
    dialect: dialect ?? getNewestDialect('per-request'),
    session,
    ...(headers ? { request: { header: name => headers[name] } } : {}),
  };
}

interface Opened {
  readonly principal: string | undefined;
  readonly values: CallerValues | undefined;
  readonly closed: () => number;
}

function createUpstream(perCaller: CallerTemplates, more: Partial<UpstreamServerOptions> = {}) {
  const clock = fakeClock();
  const opened: Opened[] = [];
  const errors: TenonError[] = [];
  const connect = async (
    { principal }: CallerIdentity,
    _: ClientOptions,
    __: (isSigningIn: boolean) => void,
    values?: CallerValues,
  ): Promise<Client> => {
    const { client, closed } = createFakeConnection();
    opened.push({ principal, values, closed });
    return client;
  };
  const { server, connect: ___, ...details } = factsOf(clock, async () => createFakeConnection().client);
  const upstream = new UpstreamServer({
    ...details,
    name: server,
    connect,
    maxConnectionsPerServer: 100,
    maxShare: 0.5,
    connectionIdleTimeout: 1000,
    share: undefined,
    perCaller,
    callerLimit: new CallerLimit(2),
    processes: new ProcessLimit(100, clock),
    onError: error => errors.push(error),
    ...more,
  });
  const getConnection = (requester: Requester) =>
    upstream.getConnection(createConnectionScope(createRequester(requester), true, upstream.valueNames));
  return { clock, opened, errors, upstream, getConnection };
}

const PROJECT = { env: { PROJECT: '${caller:header.x-project}' } };
const inProject = (name: string, more: Requester = {}): Requester => ({ ...more, headers: { 'x-project': name } });

describe('connections to a server with values of the caller', () => {
  it('are one for each distinct value, also if the callers share everything else', async () => {
    const { getConnection, opened } = createUpstream(PROJECT);
    const shop = getConnection(inProject('shop'));
    expect(getConnection(inProject('shop'))).toBe(shop);
    expect(getConnection(inProject('blog'))).not.toBe(shop);
    await Promise.all([shop.getClient(), getConnection(inProject('blog')).getClient()]);
    expect(opened.map(({ values }) => values)).toEqual([
      { 'header.x-project': 'shop' },
      { 'header.x-project': 'blog' },
    ]);
  });

  it('are never shared by two users with equal values', () => {
    const { getConnection } = createUpstream(PROJECT);
    const [ada, bob] = ['ada', 'bob'].map(principal => getConnection(inProject('shop', { auth: { principal } })));
    expect(ada).not.toBe(bob);
  });

  it('are shared by the sessions of a user with equal values, and not with `session`', () => {
    const [one, two] = [sessionNamed('one').session, sessionNamed('two').session];
    const auth = { principal: 'ada' };
    const byUser = createUpstream({ env: { WHO: '${caller:user}' } });
    expect(byUser.getConnection({ auth, session: one })).toBe(byUser.getConnection({ auth, session: two }));
    const bySession = createUpstream({ env: { ID: '${caller:session}' } }, { share: true });
    expect(bySession.getConnection({ auth, session: one })).not.toBe(bySession.getConnection({ auth, session: two }));
  });

  it('are refused for a caller without the value, and for one with an invalid value', () => {
    const { getConnection, upstream } = createUpstream(PROJECT);
    expect(() => getConnection({})).toThrow(expect.objectContaining({ code: 'host/caller-value' }));
    expect(() => getConnection(inProject('a\nb'))).toThrow(expect.objectContaining({ code: 'host/caller-value' }));
    expect(upstream.connections).toEqual([]);
  });

  it('are limited for each caller: the one that is idle for the longest time is closed', async () => {
    const { getConnection, opened } = createUpstream(PROJECT);
    const auth = { principal: 'ada' };
    for (const name of ['one', 'two']) await getConnection(inProject(name, { auth })).getClient();
    getConnection(inProject('one', { auth }));
    getConnection(inProject('three', { auth }));
    await turns();
    expect(opened.map(({ closed }) => closed())).toEqual([0, 1]);
  });

  it('are refused with the name of the limit while all connections of the caller are busy', () => {
    const { getConnection } = createUpstream(PROJECT);
    const auth = { principal: 'ada' };
    for (const name of ['one', 'two']) getConnection(inProject(name, { auth })).keepOpen();
    expect(() => getConnection(inProject('three', { auth }))).toThrow(
      expect.objectContaining({
        code: 'host/too-many-connections',
        rpcCode: 429,
        message: expect.stringMatching(/all 2 connections of the caller.*`maxConnectionsPerCaller`/),
      }),
    );
    expect(getConnection(inProject('three', { auth: { principal: 'bob' } }))).toBeDefined();
  });

  it('are limited for one address without authorization, over sessions and calls without one', () => {
    const { getConnection } = createUpstream(PROJECT);
    const address = '198.51.100.7';
    const { session } = sessionNamed('one');
    getConnection(inProject('one', { address, session })).keepOpen();
    getConnection(inProject('two', { address })).keepOpen();
    expect(() => getConnection(inProject('three', { address }))).toThrow(
      expect.objectContaining({ code: 'host/too-many-connections' }),
    );
    expect(getConnection(inProject('three', { address: '203.0.113.7' }))).toBeDefined();
  });

  it('are closed when they are idle, and count no longer', async () => {
    const { getConnection, opened, clock, upstream } = createUpstream(PROJECT);
    await getConnection(inProject('one')).getClient();
    clock.advance(2001);
    await turns();
    expect([opened.map(({ closed }) => closed()), upstream.connections]).toEqual([[1], []]);
  });

  it('report errors without the values', async () => {
    const error = new TenonError(
      'http/network',
      'cannot reach https://example.com/ada%20lovelace/mcp as ada lovelace',
      {
        peer: 'https://example.com/ada%20lovelace/mcp',
      },
    );
    const { getConnection, errors } = createUpstream(
      { url: 'https://example.com/${caller:user}/mcp' },
      { connect: () => Promise.reject(error) },
    );
    await expect(getConnection({ auth: { principal: 'ada lovelace' } }).getClient()).rejects.toBe(error);
    expect(errors).toMatchObject([{ code: 'http/network', peer: 'https://example.com/…/mcp' }]);
    expect(errors[0]?.message).not.toContain('lovelace');
  });

  it('are found for their own values only', async () => {
    const { getConnection, upstream } = createUpstream(PROJECT);
    await getConnection(inProject('shop')).getClient();
    expect(upstream.findOpenConnection({ principal: undefined }, { 'header.x-project': 'shop' })).toBeDefined();
    expect(upstream.findOpenConnection({ principal: undefined }, { 'header.x-project': 'blog' })).toBeUndefined();
    expect(upstream.findOpenConnection({ principal: undefined })).toBeUndefined();
  });
});

describe('readCallerValues', () => {
  const names = ['user', 'client', 'session', 'claim.tenant', 'claim.admin', 'claim.groups', 'header.x-project'];

  it('reads the user, the client, scalar claims and headers', () => {
    const claims = { tenant: 'acme', admin: true, groups: ['a'] };
    const requester = createRequester({
      auth: { principal: 'ada', clientId: 'desktop', claims },
      headers: { 'x-project': 'shop' },
    });
    expect(readCallerValues(requester, names)).toEqual({
      user: 'ada',
      client: 'desktop',
      session: undefined,
      'claim.tenant': 'acme',
      'claim.admin': 'true',
      'claim.groups': undefined,
      'header.x-project': 'shop',
    });
  });

  it('reads nothing that the claims inherit', () => {
    const requester = createRequester({ auth: { principal: 'ada', claims: {} } });
    expect(readCallerValues(requester, ['claim.constructor', 'claim.toString'])).toEqual({
      'claim.constructor': undefined,
      'claim.toString': undefined,
    });
  });

  it('gives each session a value that is not its id', () => {
    const { session } = sessionNamed('one');
    const shared: ClientSession = { ...session, id: 'secret-id', sharedId: 'secret-id' };
    const read = (each: ClientSession) => readCallerValues(createRequester({ session: each }), ['session']).session;
    expect(read(session)).toBe(read(session));
    expect(read(session)).not.toBe(read(sessionNamed('two').session));
    // Another process has another object for the same session.
    expect(read(shared)).toBe(read({ ...shared }));
    expect(read(shared)).not.toContain('secret-id');
  });

  it('keeps the headers of the last request of a session for its tasks, which have no request', () => {
    const { session } = sessionNamed('one');
    expect(readCallerValues(createRequester({ session }), ['header.a'])).toEqual({ 'header.a': undefined });
    readCallerValues(createRequester({ session, headers: { a: '1' } }), ['header.a']);
    expect(readCallerValues(createRequester({ session }), ['header.a'])).toEqual({ 'header.a': '1' });
    const { caller, dialect } = createRequester({ session });
    expect(readCallerValues({ caller, dialect, originSession: session }, ['header.a'])).toEqual({ 'header.a': '1' });
  });
});

describe('createConnectionScope', () => {
  it('separates callers with other values, because catalogs are stored by scope', () => {
    const keyOf = (name: string, names: readonly string[]) =>
      createConnectionScope(createRequester(inProject(name)), true, names).key;
    expect(keyOf('shop', ['header.x-project'])).not.toBe(keyOf('blog', ['header.x-project']));
    expect(keyOf('shop', ['header.x-project'])).toBe(keyOf('shop', ['header.x-project']));
    expect(keyOf('shop', [])).toBe(keyOf('blog', []));
    expect(keyOf('hunter22', ['header.x-project'])).not.toContain('hunter22');
  });
});
