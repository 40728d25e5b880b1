import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import { createHttpTransport } from '../../transports/http/client/http-transport.js';
import type { Client } from '../client.js';
import { connectTo } from '../connect.js';
import { ForgetfulServer, LOSS_STYLES, type LossStyle } from '../fixtures/forgetful-server.js';

const soon = () => new Promise(resolve => setImmediate(resolve));
const STYLES = LOSS_STYLES;
/** Forms that a handler may have sent, so that the outcome of a call is unknown. */
const UNCERTAIN: ReadonlySet<LossStyle> = new Set(['400-own-id', '200-own-id', '500-text', '500-rpc']);
const CERTAIN = STYLES.filter(style => !UNCERTAIN.has(style));

async function connectToForgetful(server: ForgetfulServer, version = '2025-11-25') {
  const url = 'http://127.0.0.1:9/mcp';
  const clock = fakeClock();
  const open = () => createHttpTransport(url, { requester: server.request, clock });
  const options = { protocolVersion: version, clock, validate: 'off', roots: [] } as const;
  return connectTo({ kind: 'http', open }, options);
}

type Action = 'count' | 'repeatable' | 'list' | 'ping' | 'ask' | 'notify' | 'cancel';
const ACTIONS: readonly Action[] = ['count', 'repeatable', 'list', 'ping', 'ask', 'notify', 'cancel'];

/** Does one thing that sends; gives the code of the error that it ends with. */
async function act(client: Client, action: Action, n: number): Promise<string | undefined> {
  const controller = new AbortController();
  const work: { readonly [A in Action]: () => Promise<unknown> } = {
    count: () => client.callTool('count', { n }),
    repeatable: () => client.callTool('count', { n: -1 }, { idempotent: true }),
    list: () => client.call('tools/list'),
    ping: () => client.ping(),
    ask: () => client.callTool('ask'),
    notify: () => client.notifyRootsChanged(),
    async cancel() {
      const call = client.callTool('never', {}, { signal: controller.signal });
      call.catch(() => {});
      await soon();
      controller.abort();
      await call;
    },
  };
  try {
    await work[action]();
    return undefined;
  } catch (error) {
    return TenonError.is(error) ? error.code : 'no TenonError';
  } finally {
    // The cancellation and the answer to the server's request are on their way still.
    await soon();
  }
}

describe('a client whose server forgets the session', () => {
  it.each(STYLES)('opens another session after a refused notification: %s', async style => {
    const server = new ForgetfulServer();
    server.style = style;
    const client = await connectToForgetful(server);
    server.forget();
    await client.notifyRootsChanged();
    expect(client.state).toBe('reconnecting');
    await client.callTool('count', { n: 1 });
    expect([client.state, server.initializations, server.executed, server.sessionless]).toEqual([
      'connected',
      2,
      [1],
      0,
    ]);
    await client.close();
  });

  it.each(CERTAIN)('opens another session after a refused response to a server request: %s', async style => {
    // POSTs: initialize, initialized, the call, the answer to the ping that the call asks for.
    const server = new ForgetfulServer([4]);
    server.style = style;
    const client = await connectToForgetful(server);
    expect(await act(client, 'ask', 0)).toBe('call/outcome-unknown');
    expect(await act(client, 'count', 1)).toBeUndefined();
    expect([client.state, server.initializations, server.sessionless]).toEqual(['connected', 2, 0]);
    await client.close();
  });

  it('opens another session after a refused cancellation', async () => {
    const server = new ForgetfulServer([4]);
    const client = await connectToForgetful(server);
    expect(await act(client, 'cancel', 0)).toBe('call/aborted');
    expect(client.state).toBe('reconnecting');
    expect(await act(client, 'count', 1)).toBeUndefined();
    expect([client.state, server.initializations]).toEqual(['connected', 2]);
    await client.close();
  });

  it.each(STYLES)('initializes once more when `notifications/initialized` is refused: %s', async style => {
    const server = new ForgetfulServer([2]);
    server.style = style;
    const client = await connectToForgetful(server);
    expect([client.state, server.initializations]).toEqual(['connected', 2]);
    expect(await act(client, 'count', 1)).toBeUndefined();
    await client.close();
  });

  it('rejects with `session/gone` when the new session is refused too', async () => {
    const server = new ForgetfulServer([2, 4]);
    await expect(connectToForgetful(server)).rejects.toMatchObject({ code: 'session/gone' });
    expect(server.initializations).toBe(2);
  });

  it.each([...UNCERTAIN])('repeats only harmless calls if a handler may have run: %s', async style => {
    const server = new ForgetfulServer();
    server.style = style;
    const client = await connectToForgetful(server);
    server.forget();
    expect(await act(client, 'count', 1)).toBe('call/outcome-unknown');
    expect(client.state).toBe('reconnecting');
    server.forget();
    expect(await act(client, 'list', 0)).toBeUndefined();
    expect(server.initializations).toBe(2);
    await client.close();
  });

  it('reports the status of the lost session', async () => {
    const server = new ForgetfulServer();
    server.style = '500-rpc';
    const client = await connectToForgetful(server);
    server.forget();
    const error = await client.callTool('count', { n: 1 }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'call/outcome-unknown' });
    expect(TenonError.from(error).cause).toMatchObject({
      code: 'session/rejected',
      status: 500,
      received: 'status 500',
    });
    await client.close();
  });

  it.each([
    [200, -32000, 'Browser session 7 not found'],
    [200, -32602, 'Session not found'],
    [500, -32603, 'The session could not be stored. Retry later'],
    [401, -32001, 'Session expired'],
  ])('keeps the session when a %i with code %i says "%s"', async (status, code, message) => {
    const server = new ForgetfulServer();
    let refuse = false;
    const requester: typeof server.request = async request => {
      const reply = await server.request(request);
      const id = JSON.parse(request.body ?? '{}').id;
      const text = async () => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
      return refuse ? { ...reply, status, header: () => 'application/json', text } : reply;
    };
    const open = () => createHttpTransport('http://127.0.0.1:9/mcp', { requester });
    const client = await connectTo({ kind: 'http', open }, { protocolVersion: '2025-11-25', validate: 'off' });
    refuse = true;
    await expect(client.callTool('count', { n: 1 })).rejects.toMatchObject({ rpcCode: code });
    refuse = false;
    await client.callTool('count', { n: 2 });
    expect(server.initializations).toBe(1);
    await client.close();
  });

  it.each(['closed', 502])('opens another session after two calls without a response: %s', async kind => {
    const server = new ForgetfulServer();
    let broken: string | undefined;
    const requester: typeof server.request = async request => {
      const session = request.headers['mcp-session-id'];
      if (session === undefined || session !== broken) return server.request(request);
      if (kind === 'closed') throw new TenonError('http/interrupted', 'socket hang up');
      return { ...(await server.request({ ...request, method: 'GET' })), status: 502 };
    };
    const open = () => createHttpTransport('http://127.0.0.1:9/mcp', { requester });
    const client = await connectTo({ kind: 'http', open }, { protocolVersion: '2025-11-25', validate: 'off' });
    broken = 's1';
    // Calls at the same time have one cause, and count once.
    const together = await Promise.allSettled([1, 2, 3].map(n => client.callTool('count', { n })));
    expect(together.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(client.state).toBe('connected');
    expect(await act(client, 'count', 4)).toBe(kind === 'closed' ? 'call/outcome-unknown' : 'http/status');
    expect(client.state).toBe('reconnecting');
    expect(await act(client, 'count', 5)).toBeUndefined();
    expect([server.executed, server.initializations]).toEqual([[5], 2]);
    await client.close();
  });

  it.each([-32602, -32601])('keeps the session when a 400 with code %i mentions a session', async code => {
    const server = new ForgetfulServer();
    let refuse = false;
    const failed = JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message: 'session must be a string' } });
    const requester: typeof server.request = async request => {
      const reply = await server.request(request);
      return refuse ? { ...reply, status: 400, header: () => 'application/json', text: async () => failed } : reply;
    };
    const open = () => createHttpTransport('http://127.0.0.1:9/mcp', { requester });
    const client = await connectTo({ kind: 'http', open }, { protocolVersion: '2025-11-25', validate: 'off' });
    refuse = true;
    await expect(client.callTool('count', { n: 1 })).rejects.toMatchObject({ code: 'peer/error', rpcCode: code });
    refuse = false;
    await client.callTool('count', { n: 2 });
    expect(server.initializations).toBe(1);
    await client.close();
  });

  it('recovers from a loss before any message, and runs no call twice [http.session.client-restarts-on-404]', async () => {
    const actions = fc.array(fc.constantFrom(...ACTIONS), { minLength: 1, maxLength: 8 });
    const losses = fc.uniqueArray(fc.integer({ min: 2, max: 24 }), { maxLength: 5 });
    const protocolVersion = fc.constantFrom('2025-03-26', '2025-06-18', '2025-11-25');
    await fc.assert(
      fc.asyncProperty(
        actions,
        losses,
        fc.constantFrom(...STYLES),
        protocolVersion,
        async (all, before, style, version) => {
          const server = new ForgetfulServer(before);
          server.style = style;
          const client = await connectToForgetful(server, version).catch((error: TenonError) => error);
          if (TenonError.is(client)) {
            expect(client.code).toMatch(/^session\//);
            expect(server.losses).toBeGreaterThanOrEqual(2);
            return;
          }
          for (const [n, action] of all.entries()) {
            const lossesBefore = server.losses;
            const code = await act(client, action, n);
            if (server.losses === lossesBefore && action !== 'cancel' && !UNCERTAIN.has(style))
              expect([action, code]).toEqual([action, undefined]);
            expect(client.state).toMatch(/^(connected|reconnecting|failed)$/);
          }
          // Losses that no message has met yet are met now: each takes one re-initialization, or one error.
          for (let n = 0; n < 24; n++) await act(client, 'list', 0);
          expect(await act(client, 'count', 100)).toBeUndefined();
          expect(client.state).toBe('connected');
          const counted = server.executed.filter(n => n >= 0);
          expect(new Set(counted).size).toBe(counted.length);
          expect(server.sessionless).toBe(0);
          expect(server.initializations).toBeLessThanOrEqual(1 + server.losses);
          await client.close();
        },
      ),
      { numRuns: takeRuns(200) },
    );
  });
});
