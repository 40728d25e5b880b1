import { createBroker, type NodeHostOptions, rejectSampling } from '@tenon/host';
import { type ClientOptions, type CreateMessageParams, type CreateMessageResult, createServer, tool } from 'tenon';
import { createHandler } from 'tenon/http';
import { serveHttp } from 'tenon/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { scriptedModel } from '../../../packages/host/src/sampling/fixtures/scripted-model.js';
import { createIssuer, ISSUER, RESOURCE } from '../../../packages/tenon/src/auth/resource/fixtures/issuer.js';
import { visitor } from '../../auth/served.js';
import { callTool } from '../../input-requests/wire.js';
import { getOutcome, listToolNames, startGuardedHost, VERSIONS, WITH_FORMS } from './guarded-host.js';
import { createWorksServer } from './works-server.js';

const own = (text: string): CreateMessageResult => ({
  role: 'assistant',
  model: 'own',
  content: { type: 'text', text },
});

async function thinking(serverVersion: string, options: Partial<NodeHostOptions> = {}) {
  const { server, ran } = createWorksServer({ protocolVersions: [serverVersion] });
  return { ...(await startGuardedHost({ servers: { one: { service: server } }, ...options })), ran };
}

const pairs = VERSIONS.flatMap(version =>
  ['2025-06-18', '2026-07-28'].map(serverVersion => [version, serverVersion] as const),
);

describe.each(pairs)(
  'a client of %s without a model, and a server of %s that requests sampling',
  (protocolVersion, serverVersion) => {
    it('return the response of the broker [security.consent.sampling]', async () => {
      const model = scriptedModel(['A teapot.']);
      const { client, ran } = await thinking(serverVersion, {
        broker: createBroker({ models: [model], allow: { one: true } }),
      });
      expect(await getOutcome((await client({ protocolVersion })).callTool('thinks'))).toBe('thinks A teapot.');
      expect(model.requests).toMatchObject([{ maxTokens: 50, messages: [{ content: { text: 'What is it?' } }] }]);
      expect(ran).toEqual(['thinks A teapot.']);
    });

    it.each([
      ['before', { before: () => rejectSampling('not now') }],
      ['after', { after: () => rejectSampling('not that') }],
    ])('return a refusal by the review %s sampling [sampling.error.user-rejected]', async (when, review) => {
      const model = scriptedModel(['A teapot.']);
      const broker = createBroker({ models: [model], allow: { one: true }, review });
      const { client, ran } = await thinking(serverVersion, { broker });
      expect(await getOutcome((await client({ protocolVersion })).callTool('thinks'))).toMatch(
        /not now|not that|rejected|-1|refused/i,
      );
      expect([ran, model.requests.length]).toEqual([[], when === 'before' ? 0 : 1]);
    });

    it('return nothing when the server is not allowed', async () => {
      const model = scriptedModel(['A teapot.']);
      const broker = createBroker({ models: [model], allow: { other: true } });
      const { client, ran } = await thinking(serverVersion, { broker });
      expect(await getOutcome((await client({ protocolVersion })).callTool('thinks'))).not.toContain('teapot');
      expect([ran, model.requests]).toEqual([[], []]);
    });
  },
);

describe.each(VERSIONS)('a client of %s with a model', protocolVersion => {
  it.each(['2025-06-18', '2026-07-28'])(
    'samples itself for a server of %s, unless the broker is for all',
    async serverVersion => {
      const model = scriptedModel(['A teapot.']);
      const broker = createBroker({ models: [model], allow: { one: true } });
      const asks: string[] = [];
      const sample = ({ messages }: CreateMessageParams) => {
        asks.push(JSON.stringify(messages));
        return own('A kettle.');
      };
      const lacking = await thinking(serverVersion, { broker });
      expect(await getOutcome((await lacking.client({ protocolVersion, sample })).callTool('thinks'))).toBe(
        'thinks A kettle.',
      );
      expect(asks).toEqual([expect.stringContaining('What is it?')]);
      const all = await thinking(serverVersion, { broker, sampling: 'all' });
      expect(await getOutcome((await all.client({ protocolVersion, sample })).callTool('thinks'))).toBe(
        'thinks A teapot.',
      );
      expect([asks.length, model.requests.length]).toEqual([1, 1]);
    },
  );
});

describe('isolation of servers', () => {
  it.each(VERSIONS)(
    'returns the configured roots of each server, for a client of %s [roots.security.access-control]',
    async protocolVersion => {
      const [one, two] = [createWorksServer(), createWorksServer()];
      const servers = {
        one: { service: one.server, roots: ['file:///only/one'] },
        two: { service: two.server },
      };
      const { client } = await startGuardedHost({ servers });
      const on = await client({ protocolVersion, roots: [{ uri: 'file:///home' }] });
      expect(await getOutcome(on.callTool('one__looks'))).toBe('looks file:///only/one');
      expect(await getOutcome(on.callTool('two__looks'))).toBe('looks file:///home');
      const without = await client({ protocolVersion });
      expect(await getOutcome(without.callTool('one__looks'))).toBe('looks file:///only/one');
    },
  );

  it.each(WITH_FORMS)(
    'names the requesting server where there are several, in %s [elicitation.ui.server-identified]',
    async protocolVersion => {
      const seen: (readonly [unknown, string])[] = [];
      const elicit: NonNullable<ClientOptions['elicit']> = form => {
        const { _meta } = form as { _meta?: { [key: string]: unknown } };
        seen.push([_meta?.['dev.tenon/server'], form.message]);
        return { action: 'accept', content: { yes: true } };
      };
      const several = await startGuardedHost({
        servers: { one: { service: createWorksServer().server }, two: { service: createWorksServer().server } },
      });
      const on = await several.client({ protocolVersion, elicit });
      await on.callTool('one__sure', { path: 'a' });
      const knowing = await several.client({ protocolVersion, elicit, extensions: [{ id: 'dev.tenon/servers' }] });
      await knowing.callTool('two__replays', { path: 'b' });
      const alone = await startGuardedHost({ servers: { one: { service: createWorksServer().server } } });
      await (await alone.client({ protocolVersion, elicit })).callTool('sure', { path: 'c' });
      expect(seen).toEqual([
        [undefined, 'one: Erase a?'],
        ['two', 'two: Erase b?'],
        [undefined, 'Erase c?'],
      ]);
    },
  );

  it.each(['2025-11-25', '2026-07-28'])(
    'passes an input request of a task of %s like any other [ext-tasks.input-trust-model]',
    async protocolVersion => {
      const requests: string[] = [];
      const elicit: NonNullable<ClientOptions['elicit']> = ({ message }) => {
        requests.push(message);
        return { action: 'decline' };
      };
      const { client, screeningReports } = await startGuardedHost({
        servers: { one: { service: createWorksServer().server }, two: { service: createWorksServer().server } },
      });
      const task = await (await client({ protocolVersion, elicit })).tasks.start('two__wonders');
      expect(task.id).toBeDefined();
      expect(await getOutcome(task.toolResult())).toBe('wonders decline');
      expect(requests).toEqual(['two: Who?']);
      expect(screeningReports.filter(({ kind }) => kind === 'elicitation')).toMatchObject([{ server: 'two' }]);
    },
  );

  it.each(VERSIONS)(
    'passes no data of one server to another or to a model, for a client of %s [security.consent.no-onward-transfer, security.isolation.no-conversation-leak]',
    async protocolVersion => {
      const notifications: string[] = [];
      const other = createWorksServer({
        use: [
          (operation, next) => {
            notifications.push(JSON.stringify([operation.method, operation.params, operation.context.meta]));
            return next(operation);
          },
        ],
      });
      const model = scriptedModel(['A teapot.']);
      const { client } = await startGuardedHost({
        servers: { one: { service: createWorksServer().server }, two: { service: other.server } },
        broker: createBroker({ models: [model], allow: { two: true } }),
      });
      const on = await client({ protocolVersion });
      expect(JSON.stringify(await on.readResource('tenon:one/note://secret/plan'))).toContain('read plan');
      await on.callTool('one__say', { text: 'a word for one' });
      expect(await getOutcome(on.callTool('two__thinks'))).toBe('thinks A teapot.');
      expect(notifications.some(each => each.includes('tools/call'))).toBe(true);
      expect(notifications.join() + JSON.stringify(model.requests)).not.toMatch(/plan|a word for one|note:/);
      expect(model.requests[0]).not.toHaveProperty('includeContext');
    },
  );

  it('names the requesting server to the handlers of the host', async () => {
    const requests: string[] = [];
    const { host } = await startGuardedHost({
      servers: { one: { service: createWorksServer().server }, two: { service: createWorksServer().server } },
      elicit: (_, { server }) => {
        requests.push(server);
        return { action: 'accept', content: { yes: true } };
      },
    });
    await host.callTool('two__sure', { path: 'a' });
    expect(requests).toEqual(['two']);
  });
});

describe('a budget', () => {
  const tools = ['search_tools', 'describe_tools', 'call_tool'];

  it.each(VERSIONS)('lets clients search, describe and call tools, in %s', async protocolVersion => {
    const { server, ran } = createWorksServer();
    const { client } = await startGuardedHost({
      servers: { one: { service: server } },
      budget: { budget: 1, pinned: ['say'] },
    });
    const on = await client({ protocolVersion });
    expect(await listToolNames(on)).toEqual(['say', ...tools]);
    const found = await getOutcome(on.callTool('search_tools', { query: 'erase a file' }));
    expect(found).toContain('"erase"');
    const described = await getOutcome(on.callTool('describe_tools', { names: ['erase', 'none'] }));
    expect(described).toContain('"path"');
    expect(await getOutcome(on.callTool('call_tool', { name: 'erase', arguments: { path: 'a' } }))).toBe('erase a');
    // One that is pinned, and one that is hidden, by their names.
    expect(await getOutcome(on.callTool('say', { text: 'hi' }))).toBe('say hi');
    expect(await getOutcome(on.callTool('erase', { path: 'b' }))).toBe('erase b');
    expect(ran).toEqual(['erase a', 'say hi', 'erase b']);
  });

  it.each(['always', 'never'] as const)('names the server of each tool, with a prefix %s', async prefix => {
    const greet = createServer({
      name: 'other',
      version: '1.0.0',
      tools: { dear__greet: tool({ run: () => 'Hello' }) },
    });
    const servers = { 'my notes': { service: createWorksServer().server }, other: { service: greet } };
    const { client } = await startGuardedHost({ servers, prefix, budget: 1 });
    const on = await client();
    const serverOf = async (query: string) => {
      const { structuredContent } = await on.callTool('search_tools', { query, limit: 1 });
      return (structuredContent as { tools: { server: string }[] }).tools[0]?.server;
    };
    expect(await serverOf('erase a file')).toBe('my notes');
    expect(await serverOf('greet')).toBe('other');
  });

  it('changes nothing when not exceeded', async () => {
    const { server } = createWorksServer();
    const { client } = await startGuardedHost({ servers: { one: { service: server } }, budget: 100_000 });
    const on = await client();
    expect(await listToolNames(on)).toContain('erase');
    expect(await getOutcome(on.callTool('call_tool', { name: 'erase', arguments: {} }))).toContain('Unknown tool');
  });

  it.each(VERSIONS)(
    'validates arguments, input requests and progress of a collapsed tool, in %s',
    async protocolVersion => {
      const { server } = createWorksServer();
      const { client } = await startGuardedHost({ servers: { one: { service: server } }, budget: 1 });
      const forms = protocolVersion >= '2025-06-18';
      const elicit = () => ({ action: 'accept' as const, content: { yes: true } });
      const on = await client({ protocolVersion, ...(forms ? { elicit } : {}) });
      expect(await getOutcome(on.callTool('call_tool', { name: 'erase', arguments: { path: 7 } }))).toMatch(
        /^refused|^-32602/,
      );
      expect(await getOutcome(on.callTool('call_tool', { name: 'none' }))).toContain('Unknown tool');
      if (!forms) return;
      for (const name of ['sure', 'replays', 'later'])
        expect(await getOutcome(on.callTool('call_tool', { name, arguments: { path: 'a' } }))).toContain(`${name} a`);
    },
  );
});

describe('credentials of a host', () => {
  /** A server over HTTP that tells which token it was called with, and counts its clients. */
  async function upstream() {
    const tokens: (string | undefined)[] = [];
    const server = createServer({
      name: 'up',
      version: '1',
      tools: { hello: tool({ input: z.object({}), run: () => 'hello' }) },
      use: [
        (operation, next) => {
          if (operation.method === 'tools/call') tokens.push(operation.context.auth?.principal);
          return next(operation);
        },
      ],
      onError: () => {},
    });
    const serving = await serveHttp(server, {
      port: 0,
      auth: {
        documents: new Map(),
        challenge: () => ({}),
        authorize: async request => ({ auth: { principal: request.header('authorization') ?? 'nobody' } }),
      },
    });
    onTestFinished(() => serving.close());
    return { url: serving.url, tokens };
  }

  it('are those of each principal, and never the token of the caller', async () => {
    const { url, tokens } = await upstream();
    const requests: unknown[] = [];
    const { host } = await startGuardedHost({
      servers: { up: { url } },
      credentials(server, principal) {
        requests.push([server, principal]);
        return principal?.endsWith('|bob') ? undefined : `token-of-${principal?.split('|')[1]}`;
      },
    });
    const issuer = await createIssuer();
    const handler = createHandler(host.toServer(), {
      auth: issuer.protect(),
      path: '/mcp',
      allowedHosts: ['mcp.example.com'],
    });
    const { alone, open, within } = visitor(request => handler(request), RESOURCE);
    const as = async (sub: string) => ({ authorization: `Bearer ${await issuer.token({ sub })}` });
    const hello = { name: 'hello', arguments: {} };
    for (const sub of ['ada', 'eve', 'ada', 'bob'])
      expect((await alone('tools/call', hello, await as(sub))).text).toContain('hello');
    const session = await open(await as('eve'));
    expect((await within(session, 'tools/call', hello, await as('eve'))).text).toContain('hello');
    expect(tokens).toEqual([
      ...['ada', 'eve', 'ada'].map(sub => `Bearer token-of-${sub}`),
      'nobody',
      'Bearer token-of-eve',
    ]);
    expect(requests).toEqual(['ada', 'eve', 'bob', 'eve'].map(sub => ['up', `${ISSUER}|${sub}`]));
  });

  it('belong to one connection for each principal', async () => {
    const opened: string[] = [];
    const { server } = createWorksServer();
    const { host } = await startGuardedHost({
      servers: { one: { service: server } },
      credentials: (_, principal) => {
        opened.push(String(principal));
        return undefined;
      },
    });
    for (const principal of ['ada', 'eve', 'ada', 'eve'])
      await callTool(host.toServer(), 'say', { arguments: { text: principal } }, { principal });
    expect(opened).toEqual(['ada', 'eve']);
  });
});
