import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../support/bundle.js';
import { takeRuns } from '../support/extent.js';
import { type Json, overMemory, overRequests, overSession, overStdio, overTwoEndpoints, type Wire } from './wire.js';

const connections: [name: string, open: () => Promise<Wire>][] = [
  ['in memory', () => overMemory()],
  ['over stdio', async () => overStdio(bundle('test/bad-input/stdio-server.ts'))],
  ['over Streamable HTTP, in a session', () => overSession()],
  ['over Streamable HTTP, request by request', () => overRequests()],
  ['over HTTP+SSE', () => overTwoEndpoints()],
];

const v = { jsonrpc: '2.0' };
const call = (name: string, args: unknown = {}, id: unknown = 1): Json => ({
  ...v,
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
const codes = (messages: Json[]) => messages.flatMap(({ error }) => (error ? [(error as Json).code] : []));

describe.each(connections)('a server %s', (name, open) => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await open();
  });
  afterAll(() => wire.close());

  const textual = !name.includes('memory');
  const perRequest = name.includes('request by request');

  /** Whatever was sent, the connection serves an ordinary call, and nothing internal was said. */
  const fine = async (received: Json[]) => {
    expect(JSON.stringify(received)).not.toMatch(/secret|\/work\/|node_modules|\.ts:|\.js:|\.mjs|\n\s+at /);
    const [answer] = await wire.send(call('echo', { well: 1 }, 'fine'));
    expect(answer).toMatchObject({ id: 'fine', result: { content: [{ text: expect.stringContaining('well') }] } });
  };

  const gives = async (expected: number[], sent: string | Json) => {
    const received = typeof sent === 'string' ? await wire.text(sent) : await wire.send(sent);
    expect(codes(received)).toEqual(expected);
    await fine(received);
    return received;
  };

  const quietly = async (expected: number[], sent: string | Json): Promise<void> => {
    await gives(expected, sent);
  };

  describe.runIf(textual)('gets text that is no JSON [base.error.parse-error]', () => {
    it.each(['not json', '{"jsonrpc":"2.0",', '{]', '\u0000', "{'a':1}", '{"a":NaN}', '\ufeff\ufeff{}'])(
      'responds -32700 to %j',
      text => quietly([-32700], text),
    );
  });

  describe('gets JSON that is no message [base.error.invalid-request base.jsonrpc-2.0]', () => {
    it.each([
      '5',
      '"text"',
      'null',
      'true',
      '{}',
      '{"a":1}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":1}',
    ])('responds -32600 to %s', text => quietly([-32600], text));
    it.each([
      ['a fractional id', '1.5'],
      ['null as id [base.request.id-not-null]', 'null'],
      ['an object as id', '{}'],
      ['2^53 as id', '9007199254740992'],
      ['a number that overflows as id', '1e400'],
    ])('responds -32600 to %s [base.request.id-string-or-integer]', (_, id) =>
      quietly([-32600], `{"jsonrpc":"2.0","id":${id},"method":"tools/list"}`),
    );
    it('responds -32600 to positional params [base.request.params-object]', () =>
      quietly([-32600], '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[1]}'));
  });

  it('responds method not found to any unknown name [base.error.method-not-found]', async () => {
    for (const method of [
      'no/such',
      'constructor',
      '__proto__',
      'toString',
      'x'.repeat(5000),
      'notifications/initialized',
      ...(perRequest ? [] : ['\ud800']),
    ]) {
      const [answer] = await gives([-32601], { ...v, id: 1, method, params: {} });
      expect(answer?.id).toBe(1);
      expect(JSON.stringify(answer).length).toBeLessThan(500);
    }
  });

  it.each([
    ['tools/call', {}],
    ['tools/call', { name: 5 }],
    ['tools/call', { name: 'echo', arguments: [] }],
    ['tools/call', { name: 'no such' }],
    ['tools/list', { cursor: 5 }],
    ['tools/list', { cursor: 'x' }],
    ['prompts/get', { name: '__proto__' }],
    ['completion/complete', { ref: { type: 'x' }, argument: {} }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'constructor' }, argument: { name: 'a', value: '' } }],
  ])(
    'refuses invalid params of %s: %j [base.error.invalid-params completion.security.inputs-validated tools.call.malformed-request-error]',
    async (method, params) => {
      await gives([-32602], { ...v, id: 1, method, params });
    },
  );

  it('ignores responses without a request, and unknown notifications [base.notification.no-response]', async () => {
    for (const message of [
      { ...v, id: 99, result: {} },
      { ...v, id: 'x', error: { code: 1, message: '' } },
      { ...v, error: { code: 1, message: '' } },
    ]) {
      const received = await wire.text(JSON.stringify(message));
      if (!perRequest) expect(received).toEqual([]);
      await fine(received);
    }
    for (const method of [
      'no/such',
      'notifications/progress',
      'notifications/cancelled',
      'notifications/constructor',
      '__proto__',
    ]) {
      const received = await wire.text(JSON.stringify({ ...v, method, params: { requestId: {}, progressToken: [] } }));
      if (!perRequest) expect(received).toEqual([]);
      await fine(received);
    }
  });

  it('treats names of Object.prototype members as data', async () => {
    const args =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1}}}';
    const message = JSON.parse(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${args}}}`,
    ) as Json;
    const [answer] = await gives([], message);
    expect(JSON.stringify(answer)).toContain('__proto__');
    const [facts] = await wire.send(call('facts'));
    expect(JSON.stringify(facts)).toContain('polluted\\":false');
  });

  it('returns any text unchanged [base.utf8-encoding]', async () => {
    for (const text of ['\ud800', 'a\udc00', '😀', '\u2028\u2029', '\0', '\ufeff']) {
      const [answer] = await gives([], call('echo', { text }));
      expect(answer).toMatchObject({ result: { content: [{ text: JSON.stringify({ text }) }] } });
    }
  });

  it('survives ten thousand nesting levels', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000);
    const received = await wire.text(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":${deep}}}}`,
    );
    await fine(received);
    if (textual) await fine(await wire.text('['.repeat(100_000)));
  });

  it.each([
    ['throws', 'Tool throws failed'],
    ['throws-nothing', 'Tool throws-nothing failed'],
    ['cyclic', 'Tool cyclic failed'],
  ])('reports of the tool %s only that it failed', async (tool, text) => {
    const [answer] = await gives([], call(tool));
    expect(answer?.result).toMatchObject({ isError: true, content: [{ type: 'text', text }] });
  });

  it('responds whatever its handlers return', async () => {
    expect(await gives([], call('undefined'))).toMatchObject([{ result: { content: [{ text: '' }] } }]);
    expect(await gives([], call('bigint'))).toMatchObject([{ result: { isError: true } }]);
    if (textual) await gives([-32603], call('unwritable'));
    await gives([-32603], { ...v, id: 1, method: 'prompts/get', params: { name: 'none' } });
    if (textual) await gives([-32603], { ...v, id: 1, method: 'resources/read', params: { uri: 'bad://cyclic' } });
    await gives([perRequest ? -32602 : -32002], { ...v, id: 1, method: 'resources/read', params: { uri: 'bad://x' } });
  });

  it('continues when a message cannot be serialized', async () => {
    const received = await wire.send(call('says-cyclic'));
    expect(received.at(-1)).toMatchObject({ result: { content: [{ text: 'said' }] } });
    if (textual)
      expect(
        received.filter(({ method }) => method === 'notifications/message').map(each => (each.params as Json).data),
      ).toEqual([null]);
  });

  it('refuses a batch, an empty one and a nested one [base.batch.not-allowed]', async () => {
    for (const batch of ['[]', '[[]]', `[${JSON.stringify(call('echo'))}]`, `[${'1,'.repeat(1000)}1]`]) {
      const received = await wire.text(batch);
      expect(codes(received)).toEqual([-32600]);
      await fine(received);
    }
  });

  it.runIf(!perRequest)('initializes once [lifecycle.initialize-first]', async () => {
    await gives([-32600], {
      ...v,
      id: 1,
      method: 'initialize',
      params: { protocolVersion: wire.version, capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    });
  });

  it('survives any sequence of garbage', async () => {
    const text = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }).map(each => each.replaceAll(/[\r\n]/g, '')),
      fc
        .record(
          {
            jsonrpc: fc.constant('2.0'),
            id: fc.jsonValue(),
            method: fc.constantFrom('ping', 'tools/call', 'tools/list'),
            params: fc.jsonValue(),
          },
          { requiredKeys: ['jsonrpc'] },
        )
        .map(each => JSON.stringify(each)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(textual ? text : text.filter(isJson), { maxLength: 4 }), async texts => {
        for (const each of texts) if (each.trim() !== '') await wire.text(each);
        await fine([]);
      }),
      { numRuns: takeRuns(30) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
