import { createTransportPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ProtocolVersion, protocolVersions } from '../support/official-schema.js';
import { createExample } from './server.js';
import { createWire, type Json } from './wire.js';

const newest = '2026-07-28';
const handshakes = protocolVersions.filter(version => version !== newest);

/** One end of a pair in memory, spoken by hand. */
async function byHand(version: ProtocolVersion, capabilities: Json = {}) {
  const wire = createWire(version);
  const pair = createTransportPair((from, message) => wire.crosses(from, message));
  await createExample().connect(pair.server);
  const waiting = new Map<unknown, (value: Json) => void>();
  const arrived: unknown[] = [];
  let closed = false;
  pair.client.open({
    onMessage(value) {
      arrived.push(value);
      for (const each of [value].flat() as Json[]) waiting.get(each.id ?? null)?.(each);
    },
    onParseError() {},
    onResponseLost() {},
    onClose() {
      closed = true;
    },
  });
  const answerTo = (id: unknown) => new Promise<Json>(resolve => waiting.set(id, resolve));
  const send = (value: unknown) => void pair.client.send(value as never);
  const ask = (id: unknown, method: unknown, params?: unknown): Promise<Json> => {
    const answer = answerTo(id);
    send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return answer;
  };
  const clientInfo = { name: 'hand', version: '1' };
  wire.excuseClient();
  if (version !== newest) {
    await ask(0, 'initialize', { protocolVersion: version, capabilities, clientInfo });
    send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }
  wire.rewind();
  wire.excuseClient();
  return { wire, send, ask, answerTo, arrived, closed: () => closed };
}

describe.each(handshakes)('a client of %s with handwritten messages', version => {
  it('may send shutdown, and the connection closes', async () => {
    const { ask, closed } = await byHand(version);
    expect(await ask(1, 'shutdown')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    await vi.waitFor(() => expect(closed()).toBe(true));
  });

  it('may send batches on protocol versions that have them, and on no others [base.batch.receive, base.batch.response-array, base.batch.not-allowed]', async () => {
    const { send, answerTo, arrived, wire } = await byHand(version);
    const batches = version === '2025-03-26';
    const answer = answerTo(batches ? 2 : 3);
    send([
      { jsonrpc: '2.0', id: 1, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'word' } },
      { jsonrpc: '2.0', id: 3, method: 'absent' },
    ]);
    await answer;
    if (batches) {
      const [all] = arrived.filter(Array.isArray) as Json[][];
      expect(all?.map(({ id }) => id).sort()).toEqual([1, 2, 3]);
      expect(all?.find(({ id }) => id === 3)?.error).toMatchObject({ code: -32601 });
    } else {
      // Each request of a refused batch is answered: its sender would wait for ever.
      const refusals = arrived.slice(1).flat() as Json[];
      expect(refusals.map(({ id }) => id)).toEqual([1, 2, 3]);
      for (const refusal of refusals) expect(refusal).toMatchObject({ error: { code: -32600 } });
    }
    expect(wire.issues).toEqual([]);
  });

  it('cannot initialize inside a batch, or twice [lifecycle.initialize-not-batched]', async () => {
    const { ask, wire } = await byHand(version);
    const again = await ask(1, 'initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    });
    expect(again.error).toMatchObject({ code: -32600 });
    expect(wire.issues).toEqual([]);
  });

  it('may declare unknown capabilities, which are kept [schema.capability.open-set, schema.open-objects, base.response.result-object]', async () => {
    const { ask, wire } = await byHand(version, {
      roots: { listChanged: true, later: 1 },
      sampling: {},
      unheard: { of: true },
      prompts: {},
    });
    const { result } = await ask(1, 'tools/call', {
      name: 'meta',
      arguments: {},
      surplus: [1],
      _meta: { 'com.example/x': 1 },
    });
    const messages = JSON.parse((result as { content: { text: string }[] }).content[0]?.text ?? '');
    expect(messages.capabilities).toMatchObject({
      roots: { listChanged: true, later: 1 },
      unheard: { of: true },
      prompts: {},
    });
    expect(messages.meta).toEqual({ 'com.example/x': 1 });
    expect(wire.issues).toEqual([]);
  });

  it('can set the level `warn`, which is read as `warning`', async () => {
    const { ask } = await byHand(version);
    expect(await ask(1, 'logging/setLevel', { level: 'warn' })).toMatchObject({ result: {} });
    expect(await ask(2, 'logging/setLevel', { level: 'loud' })).toMatchObject({ error: { code: -32602 } });
  });

  it('can send `params: null` with a request and a notification', async () => {
    const { ask, send, arrived } = await byHand(version);
    const before = arrived.length;
    send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed', params: null });
    expect(await ask(1, 'ping', null)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await ask(2, 'tools/list', null)).result).toHaveProperty('tools');
    expect(arrived.length - before).toBe(2);
  });

  it('gets each response under its own id, of any kind [base.response.same-id, schema.type.request-id, base.request.id-string-or-integer]', async () => {
    const { ask, wire } = await byHand(version);
    const ids = [1, '1', -5, '', 'ünï', Number.MAX_SAFE_INTEGER];
    for (const id of ids) expect(await ask(id, 'ping')).toEqual({ jsonrpc: '2.0', id, result: {} });
    expect(wire.issues).toEqual([]);
  });
});

describe.each(protocolVersions)('messages to a server of %s', version => {
  const _meta =
    version === newest
      ? { 'io.modelcontextprotocol/protocolVersion': newest, 'io.modelcontextprotocol/clientCapabilities': {} }
      : {};

  it('are refused with the fitting code when they are no valid request [base.jsonrpc-2.0, base.request.id-not-null, base.request.params-object, base.error.invalid-request, base.error.code-and-message, base.response.result-xor-error]', async () => {
    const { send, arrived, ask, wire } = await byHand(version);
    const broken = [
      { id: 1, method: 'ping' },
      { jsonrpc: '1.0', id: 2, method: 'ping' },
      { jsonrpc: '2.0', id: 3, method: 7 },
      { jsonrpc: '2.0', id: 4, method: 'ping', params: [1] },
      { jsonrpc: '2.0', id: null, method: 'ping' },
      { jsonrpc: '2.0', id: 1.5, method: 'ping' },
      { jsonrpc: '2.0', id: {}, method: 'ping' },
      42,
      null,
    ];
    const before = arrived.length;
    for (const each of broken) send(each);
    await vi.waitFor(() => expect(arrived.length - before).toBeGreaterThanOrEqual(broken.length));
    const answers = arrived.slice(before) as { id?: unknown; error: { code: number } }[];
    expect(answers.map(({ error }) => error.code)).toEqual(broken.map(() => -32600));
    expect(answers.slice(0, 4).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect((await ask(9, 'tools/call', { name: 'word', _meta })).result).toBeDefined();
    expect(wire.issues).toEqual([]);
  });

  it('get no response as a notification or an unmatched response [base.notification.no-response, schema.notification.cancelled.request-id-optional, base.notification.no-id]', async () => {
    const { send, arrived, ask } = await byHand(version);
    const before = arrived.length;
    send({ jsonrpc: '2.0', method: 'notifications/absent', params: { a: 1 } });
    send({ jsonrpc: '2.0', method: 'tools/list' });
    send({ jsonrpc: '2.0', method: 'notifications/cancelled' });
    send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } });
    send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 99, progress: 1 } });
    send({ jsonrpc: '2.0', id: 77, result: {} });
    send({ jsonrpc: '2.0', id: 78, error: { code: 1, message: 'x' } });
    expect((await ask(9, 'tools/call', { name: 'word', _meta })).result).toBeDefined();
    expect(arrived.length - before).toBe(1);
  });

  it('are refused with the id of a running request, which continues [base.request.id-unique-per-session, base.request.id-unique-in-flight]', async () => {
    const { send, arrived, ask, answerTo } = await byHand(version);
    const first = answerTo(5);
    send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'later', _meta } });
    send({ jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'word', _meta } });
    expect((await first).error).toMatchObject({ code: -32600 });
    await ask(6, 'tools/call', { name: 'later', _meta });
    expect(arrived.some(value => JSON.stringify(value).includes('later'))).toBe(true);
  });

  it('may contain names like __proto__', async () => {
    const { ask } = await byHand(version);
    const args = JSON.parse(
      '{"a":1,"b":2,"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    );
    const { result } = await ask(1, 'tools/call', { name: 'add', arguments: args, _meta });
    expect(result).toBeDefined();
    expect(({} as Json).polluted).toBeUndefined();
    expect((await ask(2, '__proto__', { _meta })).error).toMatchObject({ code: -32601 });
    expect((await ask(3, 'constructor', { _meta })).error).toMatchObject({ code: -32601 });
  });

  it('are refused with the fitting code for invalid params [base.error.invalid-params]', async () => {
    const { ask } = await byHand(version);
    expect((await ask(1, 'resources/read', { uri: 7, _meta })).error).toMatchObject({ code: -32602 });
    expect((await ask(2, 'completion/complete', { ref: {}, _meta })).error).toMatchObject({ code: -32602 });
    expect((await ask(3, 'tools/list', { cursor: 7, _meta })).error).toMatchObject({ code: -32602 });
    expect((await ask(4, 'prompts/get', { _meta })).error).toMatchObject({ code: -32602 });
  });
});

describe('requests that name their protocol version', () => {
  const meta = (more: Json = {}) => ({
    'io.modelcontextprotocol/protocolVersion': newest,
    'io.modelcontextprotocol/clientCapabilities': {},
    ...more,
  });

  it('are stateless, also inside a session of another version [compat.server-modern-meta-selects-stateless, compat.server-initialize-with-modern-meta, base.stateless-no-prior-context, base.stateless-connection-not-session, versioning.each-request-independent, discover.no-prior-call-required]', async () => {
    const { ask } = await byHand('2025-06-18', { elicitation: {} });
    const stated = await ask(1, 'tools/call', { name: 'meta', _meta: meta() });
    expect(JSON.stringify(stated)).toContain('\\"version\\":\\"2026-07-28\\"');
    expect(stated.result).toMatchObject({ resultType: 'complete' });
    const plain = await ask(2, 'tools/call', { name: 'meta' });
    expect(JSON.stringify(plain)).toContain('\\"version\\":\\"2025-06-18\\"');
    expect(plain.result).not.toHaveProperty('resultType');
    expect((await ask(3, 'initialize', { _meta: meta() })).error).toMatchObject({ code: -32601 });
    expect((await ask(4, 'ping', { _meta: meta() })).error).toMatchObject({ code: -32601 });
    expect((await ask(5, 'tools/call', { name: 'formed', _meta: meta() })).error).toMatchObject({ code: -32021 });
  });

  it('must name it validly [meta.missing-required-field-error, versioning.unsupported-version-error, errors.unsupported-version-shape, discover.unsupported-version-error, meta.client-info-not-required]', async () => {
    const { ask } = await byHand(newest);
    const version = 'io.modelcontextprotocol/protocolVersion';
    expect((await ask(1, 'tools/list', { _meta: { [version]: newest } })).error).toMatchObject({ code: -32602 });
    expect((await ask(2, 'tools/list', {})).error).toMatchObject({ code: -32602 });
    expect((await ask(3, 'tools/list')).error).toMatchObject({ code: -32602 });
    expect((await ask(4, 'tools/list', { _meta: meta({ [version]: 7 }) })).error).toMatchObject({ code: -32602 });
    for (const [id, requested] of [
      [5, '2025-06-18'],
      [6, '1999-01-01'],
    ] as const) {
      const { error } = await ask(id, 'server/discover', { _meta: meta({ [version]: requested }) });
      expect(error).toMatchObject({
        code: -32022,
        data: { requested, supported: expect.arrayContaining([newest, '2024-11-05']) },
      });
    }
    expect((await ask(7, 'tools/list', { _meta: meta() })).result).toBeDefined();
  });

  it('can request log messages from the level `warn`, which is read as `warning`', async () => {
    const { ask } = await byHand(newest);
    const withLevel = (level: string) => ({ _meta: meta({ 'io.modelcontextprotocol/logLevel': level }) });
    expect((await ask(1, 'tools/list', withLevel('warn'))).result).toBeDefined();
    expect((await ask(2, 'tools/list', withLevel('loud'))).error).toMatchObject({ code: -32602 });
  });

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
  ])('cannot call %s [base.removed-methods-unknown]', async method => {
    const { ask } = await byHand(newest);
    expect((await ask(1, method, { uri: 'note://all', level: 'info', _meta: meta() })).error).toMatchObject({
      code: -32601,
    });
  });
});

describe('batches over HTTP', () => {
  const closing: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(closing.splice(0).map(close => close())));

  it.each(handshakes.slice(1))(
    'are accepted in a session of 2025-03-26 only, here %s [base.batch.receive, base.batch.not-allowed]',
    async version => {
      const { url, close } = await serveHttp(createExample(), { port: 0 });
      closing.push(() => close({ timeout: 0 }));
      const post = (body: unknown, more: Record<string, string> = {}) =>
        fetch(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...more },
          body: JSON.stringify(body),
        });
      const opening = await post({
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      });
      const session = {
        'mcp-session-id': opening.headers.get('mcp-session-id') ?? '',
        ...(version === '2025-03-26' ? {} : { 'mcp-protocol-version': version }),
      };
      await opening.text();
      await (await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, session)).text();
      const reply = await post(
        [
          { jsonrpc: '2.0', id: 1, method: 'ping' },
          { jsonrpc: '2.0', id: 2, method: 'ping' },
        ],
        session,
      );
      const text = await reply.text();
      if (version !== '2025-03-26') {
        const refusals = JSON.parse(text) as Json[];
        expect([reply.status, refusals.map(({ id, error }) => [id, (error as Json).code])]).toEqual([
          400,
          [
            [1, -32600],
            [2, -32600],
          ],
        ]);
        return;
      }
      expect(reply.status).toBe(200);
      expect(text).toContain('"id":1');
      expect(text).toContain('"id":2');
    },
  );
});
