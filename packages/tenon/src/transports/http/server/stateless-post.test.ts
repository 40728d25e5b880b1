import { afterEach, describe, expect, it } from 'vitest';
import { createFailure, createNotification, createSuccess } from '../../../jsonrpc/message.js';
import { createFakeClock } from '../fixtures/fake-clock.js';
import { type Behaviour, createFakeService } from '../fixtures/fake-service.js';
import {
  allEvents,
  alone,
  eventsOf,
  JSON_HEADERS,
  nextMessages,
  openSession,
  runtimes,
  type Site,
} from '../fixtures/sites.js';
import type { HandlerOptions } from './options.js';

describe.each(runtimes)('stateless requests, over $name', ({ open }) => {
  let site: Site;
  const serve = async (behaviour: Behaviour = {}, options: HandlerOptions = {}) => {
    const service = createFakeService(behaviour);
    site = await open(service, options);
    return service;
  };
  afterEach(() => site.close({ timeout: 0 }));

  it('get JSON when the response comes first [http.post.json-or-sse] [http.status-200-on-success] [http.no-session-header]', async () => {
    await serve();
    const response = await site.send('/mcp', alone('tools/call', { name: 'add' }, 'a'));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', id: 'a', result: { resultType: 'complete' } });
  });

  it('get a stream when notifications precede the response [http.sse-buffering-header] [http.sse-no-resumption] [http.one-response-per-request] [http.sse.closed-after-response]', async () => {
    await serve({
      async alone(request, io) {
        await io.send(createNotification('notifications/progress', { progressToken: 1, progress: 1 }));
        await io.send(createNotification('notifications/progress', { progressToken: 1, progress: 2 }));
        return createSuccess(request.id, { resultType: 'complete' });
      },
    });
    const response = await site.send('/mcp', alone('tools/call', { name: 'add' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const events = await allEvents(response);
    expect(events.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
    expect(events.map(({ data }) => JSON.parse(data ?? ''))).toMatchObject([
      { method: 'notifications/progress', params: { progress: 1 } },
      { method: 'notifications/progress', params: { progress: 2 } },
      { id: 1, result: { resultType: 'complete' } },
    ]);
  });

  it.each([
    [-32601, 404, 'http.method-not-found-404'],
    [-32020, 400, 'http.header-mismatch-status-and-code'],
    [-32021, 400, 'W9'],
    [-32602, 200, 'http.ordinary-error-status'],
    [-32603, 200, 'http.ordinary-error-status'],
  ])('fail with %i and have status %i [%s]', async (code, status) => {
    await serve({ alone: async request => createFailure(request.id, { code, message: 'no' }) });
    const response = await site.send('/mcp', alone('tools/call', { name: 'add' }, 7));
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 7, error: { code, message: 'no' } });
  });

  it('get a stream when the client accepts nothing else', async () => {
    await serve();
    const init = alone('tools/call', { name: 'echo' });
    const response = await site.send('/mcp', { ...init, headers: { ...init.headers, accept: 'text/event-stream' } });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(await allEvents(response)).toMatchObject([{ data: expect.stringContaining('"id":1') }]);
    const session = await openSession(site, '2025-11-25', { accept: 'text/event-stream' });
    expect([session.response.headers.get('content-type'), session.id]).toEqual([
      'text/event-stream',
      expect.stringMatching(/.{36}/),
    ]);
    const answer = await session.post({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo' } });
    expect((await allEvents(answer)).at(-1)).toMatchObject({ data: expect.stringContaining('"id":2') });
  });

  it.each(['mcp-method', 'mcp-name'])('are refused for a wrong %s before an unsupported version', async header => {
    await serve();
    const init = alone('tools/call', { name: 'echo' });
    const body = String(init.body).replace('2026-07-28', 'v9');
    const headers = { ...init.headers, 'mcp-protocol-version': 'v9' };
    const wrong = await site.send('/mcp', { ...init, body, headers: { ...headers, [header]: 'other' } });
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ id: 1, error: { code: -32020 } });
    const right = await site.send('/mcp', { ...init, body, headers });
    expect(await right.json()).toMatchObject({ id: 1, error: { code: -32022 } });
  });

  it('are refused for a version that is not served [http.unsupported-version-400]', async () => {
    await serve();
    const { headers, body } = alone('tools/list');
    const request = {
      headers: { ...headers, 'mcp-protocol-version': 'v9' },
      body: String(body).replace('2026-07-28', 'v9'),
    };
    const response = await site.send('/mcp', { method: 'POST', ...request });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32022, data: { requested: 'v9' } } });
  });

  it.each([
    ['another', 'v8'],
    ['none', undefined],
  ])(
    'are refused when header and body name different versions: %s [http.mcp-protocol-version-header-mismatch]',
    async (_what, version) => {
      await serve();
      const { headers, body } = alone('tools/list');
      const rest = { ...headers };
      delete rest['mcp-protocol-version'];
      const response = await site.send('/mcp', {
        method: 'POST',
        headers: version === undefined ? rest : { ...rest, 'mcp-protocol-version': version },
        body: String(body).replace('2026-07-28', 'v9'),
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ id: 1, error: { code: -32020 } });
    },
  );

  it('are refused when they need a stream and the limit of streams is reached [streams]', async () => {
    const service = await serve(
      {
        alone(_request, io) {
          io.send(createNotification('notifications/subscriptions/acknowledged'));
          return new Promise(() => {});
        },
      },
      { limits: { maxStreams: 1 } },
    );
    const first = await site.send('/mcp', alone('subscriptions/listen'));
    const second = await site.send('/mcp', alone('subscriptions/listen', {}, 2));
    expect([first.status, second.status]).toEqual([200, 503]);
    expect(second.headers.get('retry-after')).toBe('5');
    expect(await second.json()).toMatchObject({ id: 2, error: { code: -32603 } });
    await first.body?.cancel();
    await expect.poll(() => service.alone[0]?.isClosed).toBe(true);
  });

  it('are refused without _meta [http.validation-order]', async () => {
    await serve();
    const headers = { ...JSON_HEADERS, 'mcp-protocol-version': '2026-07-28' };
    const body = '{"jsonrpc":"2.0","id":3,"method":"tools/list"}';
    const response = await site.send('/mcp', { method: 'POST', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 3, error: { code: -32602 } });
  });

  const withHeaders = (changes: Record<string, string | undefined>, base = alone('tools/call', { name: 'add' })) => {
    const headers: Record<string, string | undefined> = { ...base.headers, ...changes };
    const present = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { ...base, headers: Object.fromEntries(present) };
  };

  it.each([
    ['no version [http.mcp-protocol-version-header-missing]', { 'mcp-protocol-version': undefined }],
    ['another version [http.mcp-protocol-version-header-mismatch]', { 'mcp-protocol-version': '2025-11-25' }],
    ['an unknown version [W3]', { 'mcp-protocol-version': 'v9' }],
    ['no method [http.mcp-method-header-mismatch]', { 'mcp-method': undefined }],
    ['another method [http.mcp-method-header-mismatch]', { 'mcp-method': 'tools/list' }],
    ['the method in capitals [http.header-values-case-sensitive]', { 'mcp-method': 'TOOLS/CALL' }],
    ['an encoded method [http.header-other-headers-not-encoded]', { 'mcp-method': '=?base64?dG9vbHMvY2FsbA==?=' }],
    ['no name [http.mcp-name-header-mismatch]', { 'mcp-name': undefined }],
    ['another name [http.mcp-name-header-mismatch]', { 'mcp-name': 'Add' }],
    ['a name in bad base64 [http.header-base64-invalid-rejected]', { 'mcp-name': '=?base64?YWRk!?=' }],
  ])('are refused when their headers have %s', async (_what, changes) => {
    const service = await serve();
    const response = await site.send('/mcp', withHeaders(changes));
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32020 } });
    expect(service.alone).toHaveLength(0);
  });

  it.each([
    ['with space around [http.header-value-ows-trimmed]', { 'mcp-method': ' tools/call\t', 'mcp-name': ' add ' }],
    ['encoded [http.header-decode-before-compare]', { 'mcp-name': '=?base64?YWRk?=' }],
    [
      'with capitals in header names [http.header-names-case-insensitive]',
      { 'mcp-name': undefined, 'Mcp-Name': 'add' },
    ],
  ])('may have their names %s', async (_how, changes) => {
    await serve();
    expect((await site.send('/mcp', withHeaders(changes))).status).toBe(200);
  });

  it.each([
    ['prompts/get', { name: 'p' }, 200, 'p'],
    ['resources/read', { uri: 'note://ä' }, 200, '=?base64?bm90ZTovL8Ok?='],
    ['tasks/get', { taskId: 't' }, 200, 't'],
    ['tasks/get', { taskId: 't' }, 400, undefined],
    ['tasks/list', {}, 200, undefined],
    ['tools/list', { name: 'x' }, 200, undefined],
  ])(
    'for %s with %j get status %i with Mcp-Name %s [http.mcp-name-not-required-elsewhere]',
    async (method, params, status, name) => {
      await serve();
      const base = alone(method, params);
      const response = await site.send(
        '/mcp',
        withHeaders({ 'mcp-name': name }, { ...base, headers: { ...base.headers, 'mcp-name': '' } }),
      );
      expect(response.status).toBe(status);
    },
  );

  it('are cancelled when the connection closes [cancellation.http-disconnect-is-cancel] [cancellation.server-no-further-messages]', async () => {
    let finish = (): void => {};
    const service = await serve({
      alone: request =>
        new Promise(resolve => {
          finish = () => resolve(createSuccess(request.id, {}));
        }),
    });
    const aborts = new AbortController();
    const pending = site.send('/mcp', { ...alone('tools/call', { name: 'slow' }), signal: aborts.signal });
    pending.catch(() => {});
    await expect.poll(() => service.alone.length).toBe(1);
    expect(service.alone[0]?.isClosed).toBe(false);
    aborts.abort();
    await expect.poll(() => service.alone[0]?.isClosed).toBe(true);
    expect(await service.alone[0]?.io.send(createNotification('notifications/message'))).toBeUndefined();
    finish();
  });

  it('are cancelled when their own stream is closed [cancellation.http-disconnect-is-cancel]', async () => {
    const service = await serve({
      alone(_request, io) {
        io.send(createNotification('notifications/subscriptions/acknowledged'));
        return new Promise(() => {});
      },
    });
    const [one, other] = await Promise.all([1, 2].map(id => site.send('/mcp', alone('subscriptions/listen', {}, id))));
    await nextMessages(eventsOf(other as Response), 1);
    await (one as Response).body?.cancel();
    const first = service.alone.findIndex(({ request }) => request.id === 1);
    await expect.poll(() => service.alone[first]?.isClosed).toBe(true);
    expect(service.alone[1 - first]?.isClosed).toBe(false);
  });

  it('are not cancelled after their completion', async () => {
    const service = await serve();
    await (await site.send('/mcp', alone('tools/list'))).text();
    await site.close();
    expect(service.alone[0]?.isClosed).toBe(false);
  });

  it('ignore a session id [base.stateless-no-prior-context]', async () => {
    const service = await serve();
    const session = await openSession(site);
    const { headers, body } = alone('tools/list');
    const sent = { method: 'POST', body: String(body), headers: { ...headers, 'mcp-session-id': session.id } };
    expect((await site.send('/mcp', sent)).status).toBe(200);
    const made = { ...sent, headers: { ...headers, 'mcp-session-id': 'made-up', 'last-event-id': '1-1' } };
    expect((await site.send('/mcp', made)).status).toBe(200);
    expect(service.alone).toHaveLength(2);
  });

  it('are independent of notifications, which are accepted and ignored [http.post.notification-accepted-202] [http.notification-headers-undefined] [cancellation.http-notification-not-matched-by-id]', async () => {
    const service = await serve({ alone: () => new Promise(() => {}) });
    const aborts = new AbortController();
    site.send('/mcp', { ...alone('tools/call', { name: 'slow' }), signal: aborts.signal }).catch(() => {});
    await expect.poll(() => service.alone.length).toBe(1);
    const response = await site.send('/mcp', {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'mcp-protocol-version': '2026-07-28' },
      body: '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
    });
    expect(response.status).toBe(202);
    expect(await response.text()).toBe('');
    expect(service.alone[0]?.isClosed).toBe(false);
    aborts.abort();
  });

  it('pass the principal and the headers to the service', async () => {
    const service = await serve({}, { authorize: () => Promise.resolve({ auth: { principal: 'ann' } }) });
    const request = alone('tools/call', { name: 'add' });
    await site.send('/mcp', { ...request, headers: { ...request.headers, 'Mcp-Param-Region': 'west' } });
    const io = service.alone[0]?.io;
    expect(io?.auth).toEqual({ principal: 'ann' });
    const headerParams = [{ path: ['region'], header: 'mcp-param-region', type: 'string' }] as const;
    expect(() => io?.checkHeaders?.(headerParams, { region: 'west' })).not.toThrow();
    expect(() => io?.checkHeaders?.(headerParams, { region: 'east' })).toThrow(/mcp-param-region does not match/);
    expect(io?.request?.header('mcp-param-other')).toBeUndefined();
  });

  it('are cancelled with 503 and an unknown outcome when the time to close is over [so.drain]', async () => {
    const clock = createFakeClock();
    let complete = () => {};
    const service = await serve(
      {
        alone: request =>
          new Promise(resolve => {
            complete = () => resolve(createSuccess(request.id, { resultType: 'complete' }));
          }),
      },
      { clock },
    );
    const sending = site.send('/mcp', alone('tools/call', { name: 'add' }, 'a'));
    await expect.poll(() => service.alone.length).toBe(1);
    const closing = site.close({ timeout: 300 });
    await Promise.resolve();
    clock.advance(299);
    expect(service.alone[0]?.isClosed).toBe(false);
    clock.advance(1);
    expect(service.alone[0]?.isClosed).toBe(true);
    complete();
    const response = await sending;
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBeNull();
    expect(await response.json()).toMatchObject({ id: 'a', error: { code: -32603, data: { outcome: 'unknown' } } });
    await expect.poll(() => clock.timers).toBeLessThan(2);
    clock.advance(60_000);
    await closing;
  });

  it('end their stream with an unknown outcome when the time to close is over', async () => {
    const clock = createFakeClock();
    const behaviour: Behaviour = {
      async alone(_, io) {
        await io.send(createNotification('notifications/progress', { progressToken: 1, progress: 1 }));
        return new Promise(() => {});
      },
    };
    await serve(behaviour, { clock });
    const response = await site.send('/mcp', alone('tools/call', { name: 'add' }, 'a'));
    const closing = site.close({ timeout: 300 });
    await Promise.resolve();
    clock.advance(300);
    expect((await allEvents(response)).map(({ data }) => JSON.parse(data ?? ''))).toMatchObject([
      { method: 'notifications/progress' },
      { id: 'a', error: { code: -32603, data: { outcome: 'unknown' } } },
    ]);
    await expect.poll(() => clock.timers).toBeLessThan(2);
    clock.advance(60_000);
    await closing;
  });

  it('are each cancelled when the time to close is over, if others ended before', async () => {
    const clock = createFakeClock();
    const completions: (() => void)[] = [];
    const service = await serve(
      {
        alone: request =>
          new Promise(resolve => {
            completions.push(() => resolve(createSuccess(request.id, { resultType: 'complete' })));
          }),
      },
      { clock },
    );
    const responses: Promise<Response>[] = [];
    for (const id of ['a', 'b', 'c', 'd']) {
      responses.push(site.send('/mcp', alone('tools/call', { name: 'add' }, id)));
      await expect.poll(() => service.alone.length).toBe(responses.length);
    }
    // The first and the last one, so that the place of an ended request is taken by another.
    for (const ended of [0, 3]) {
      completions[ended]?.();
      expect((await responses[ended])?.status).toBe(200);
    }
    const closing = site.close({ timeout: 300 });
    await Promise.resolve();
    clock.advance(300);
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([200, 503, 503, 200]);
    await expect.poll(() => clock.timers).toBeLessThan(2);
    clock.advance(60_000);
    await closing;
  });

  it('get no secret when the service fails', async () => {
    const reported: unknown[] = [];
    const onError = (error: unknown) => void reported.push(error);
    await serve({ alone: () => Promise.reject(new Error('secret')) }, { onError });
    const response = await site.send('/mcp', alone('tools/list'));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret');
    expect(reported).toHaveLength(1);
  });

  it('get a response when the service and `onError` fail', async () => {
    const fail = () => Promise.reject(new Error('broken'));
    const onError = () => {
      throw new Error('no logs');
    };
    await serve({ alone: fail }, { onError });
    expect((await site.send('/mcp', alone('tools/list'))).status).toBe(500);
  });
});
