import { systemClock, TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { Authorizer, RefusedRequest } from '../../../auth/client/authorizer.js';
import { mayHaveExecuted } from '../../../client/calls/call-outcome.js';
import { createEndpointClient } from './endpoint-client.js';
import type { HttpReply, HttpRequest } from './requester.js';

const URL_ = 'https://mcp.example.com/mcp';

function reply(status: number, headers: Record<string, string> = {}): HttpReply {
  return { status, header: name => headers[name], text: async () => '', read: async () => {}, cancel() {} };
}

function setUp(replies: (request: HttpRequest, index: number) => HttpReply, more: Partial<Authorizer> = {}) {
  const sent: HttpRequest[] = [];
  const requests: { method: string; url: string; server?: string | undefined }[] = [];
  const refusals: RefusedRequest[] = [];
  const busy: boolean[] = [];
  const auth: Authorizer = {
    async getHeaders(request) {
      requests.push(request);
      return { Authorization: `Bearer ${requests.length}` };
    },
    async handleRefusal(refusal) {
      refusals.push(refusal);
      return true;
    },
    ...more,
  };
  const connection = createEndpointClient(URL_, {
    auth,
    headers: { authorization: 'mine', 'x-own': '1' },
    onSigningIn: signingIn => busy.push(signingIn),
    requester: async request => {
      sent.push(request);
      return replies(request, sent.length - 1);
    },
  });
  const send = (method: HttpRequest['method'] = 'POST', signal = new AbortController().signal) =>
    connection.request({ method, headers: { 'mcp-protocol-version': 'x' }, signal });
  return { sent, requests, refusals, busy, send };
}

describe('a transport with an authorizer', () => {
  it('gets headers for every request, with any method [auth.token.every-http-request auth.token.every-request]', async () => {
    const { send, sent, requests } = setUp(() => reply(200));
    for (const method of ['POST', 'GET', 'DELETE'] as const) await send(method);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 3']);
    expect(sent[0]?.headers).toMatchObject({ 'x-own': '1', 'mcp-protocol-version': 'x' });
    expect(requests.map(({ method, url, server }) => [method, url, server])).toEqual([
      ['POST', URL_, URL_],
      ['GET', URL_, URL_],
      ['DELETE', URL_, URL_],
    ]);
  });

  it('sends a refused request once more, with new headers', async () => {
    const { send, sent, refusals, busy } = setUp((_, index) =>
      reply(index === 0 ? 401 : 200, { 'www-authenticate': 'Bearer' }),
    );
    expect((await send()).status).toBe(200);
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer 1', 'Bearer 2']);
    const [refusal] = refusals;
    expect(refusal).toMatchObject({
      status: 401,
      method: 'POST',
      url: URL_,
      server: URL_,
      protocolVersion: 'x',
      sentHeaders: { authorization: 'Bearer 1' },
    });
    expect(refusal?.header('www-authenticate')).toBe('Bearer');
    expect(busy).toEqual([true, false]);
  });

  it('passes the same object for all attempts of a request, and another for the next', async () => {
    const { send, refusals } = setUp((_, index) => reply(index % 3 === 2 ? 200 : 403));
    await send();
    await send();
    expect(refusals[1]?.request).toBe(refusals[0]?.request);
    expect(refusals[2]?.request).not.toBe(refusals[0]?.request);
  });

  it('stops after several attempts, whatever the authorizer returns', async () => {
    const { send, sent } = setUp(() => reply(401));
    expect((await send()).status).toBe(401);
    expect(sent).toHaveLength(9);
  });

  it.each([
    [400, 'DPoP error="use_dpop_nonce"', 2],
    [400, 'DPoP error="invalid_request"', 1],
    [404, 'Bearer', 1],
    [500, 'Bearer', 1],
  ])('classifies a %s with %s as a refusal or not', async (status, challenge, times) => {
    const { send, sent } = setUp((_, index) => reply(index === 0 ? status : 200, { 'www-authenticate': challenge }));
    await send();
    expect(sent).toHaveLength(times);
  });

  it('gets headers for the target of a redirect', async () => {
    const { send, requests } = setUp((_, index) => reply(index === 0 ? 307 : 200, { location: '/elsewhere' }));
    await send();
    expect(requests.map(({ url }) => url)).toEqual([URL_, 'https://mcp.example.com/elsewhere']);
  });

  it('passes other responses to the authorizer, because they may carry a nonce', async () => {
    const notifications: unknown[] = [];
    const { send } = setUp(() => reply(200, { 'dpop-nonce': 'n' }), {
      onResponse: ({ url, header }) => notifications.push([url, header('dpop-nonce')]),
    });
    await send();
    expect(notifications).toEqual([[URL_, 'n']]);
  });

  it('rejects with the error of the sign-in', async () => {
    const { send, busy } = setUp(() => reply(401), { handleRefusal: async () => Promise.reject(new Error('no user')) });
    await expect(send()).rejects.toMatchObject({ code: 'auth/failed' });
    expect(busy).toEqual([true, false]);
  });

  it.each(['store/unavailable', 'connection/closed', 'http/unreachable', 'call/outcome-unknown'])(
    'reports an error %s of the authorizer as a failed sign-in, because the server has executed nothing',
    async code => {
      const thrown = new TenonError(code, 'Redis at db: not available');
      const fail = async () => Promise.reject(thrown);
      for (const more of [{ getHeaders: fail }, { handleRefusal: fail }]) {
        const error = await setUp(() => reply(401), more)
          .send()
          .catch(reason => reason);
        expect(error).toMatchObject({
          code: 'auth/failed',
          received: thrown.summary,
          cause: thrown,
        });
        expect(mayHaveExecuted(error)).toBe(false);
      }
    },
  );

  it.each(['auth/needs-user', 'cli/usage', 'host/busy'])(
    'passes an error %s of the authorizer on, because it says nothing about the connection',
    async code => {
      const thrown = new TenonError(code, 'no credentials');
      const sent = setUp(() => reply(401), { getHeaders: () => Promise.reject(thrown) }).send();
      await expect(sent).rejects.toBe(thrown);
      expect(mayHaveExecuted(thrown)).toBe(false);
    },
  );

  it('stops waiting for a sign-in when its caller aborts', async () => {
    const controller = new AbortController();
    const { send } = setUp(() => reply(401), { handleRefusal: () => new Promise(() => {}) });
    systemClock.after(5, () => controller.abort());
    await expect(send('POST', controller.signal)).rejects.toMatchObject({ code: 'call/aborted' });
  });
});
