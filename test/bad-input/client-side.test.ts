import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { type ClientOptions, connect, createTransportPair, type TenonError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../support/extent.js';

type Json = { [key: string]: unknown };
type Say = (value: unknown) => void;
type Script = (message: Json, say: Say, hangUp: () => void) => void;

const v = { jsonrpc: '2.0' };
const soon = () => new Promise(resolve => setImmediate(resolve));
const initialized = (id: unknown): Json => ({
  ...v,
  id,
  result: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {}, resources: { subscribe: true }, logging: {} },
    serverInfo: { name: 'odd', version: '1' },
  },
});

/** A client of ours and a server that does what the script says. */
async function start(script: Script, options: ClientOptions = {}) {
  const pair = createTransportPair();
  const received: Json[] = [];
  const say: Say = value => void Promise.resolve(pair.server.send(value as never)).catch(() => {});
  pair.server.open({
    onMessage(value) {
      const message = value as Json;
      received.push(message);
      if (message.method === 'initialize') say(initialized(message.id));
      else if (message.method === 'tools/list') say({ ...v, id: message.id, result: { tools: [] } });
      else if (message.method === 'ping' && !received.some(({ method }) => method === 'silent'))
        say({ ...v, id: message.id, result: {} });
      // Errors from before `connect` returns also reach the listener, so the script begins after the opening.
      else if (message.method !== 'notifications/initialized') script(message, say, () => pair.server.close());
    },
    onParseError() {},
    onResponseLost() {},
    onClose() {},
  });
  const errors: TenonError[] = [];
  const clock = fakeClock();
  const client = await connect(pair.client, { protocolVersion: '2025-11-25', clock, ...options });
  client.on('error', error => errors.push(error));
  return { client, clock, received, say, errors };
}

const outcome = (promise: Promise<unknown>) =>
  promise.then(
    () => 'result',
    (error: TenonError) => error.code,
  );

describe('a client', () => {
  it('lists without a cursor when the server ends a list with `nextCursor: null`', async () => {
    const { client } = await start((message, say) =>
      say({ ...v, id: message.id, result: { resources: [{ uri: 'a:b', name: 'b' }], nextCursor: null } }),
    );
    const pages: Json[] = [];
    const listed: unknown[] = [];
    for await (const one of client.listResources({ onPage: page => pages.push(page) })) listed.push(one);
    expect(listed).toEqual([{ uri: 'a:b', name: 'b' }]);
    expect(pages).toEqual([{ resources: [{ uri: 'a:b', name: 'b' }] }]);
  });

  it('accepts a response with a null `result` beside an error, or a null `error` beside a result', async () => {
    const answers = [
      { result: null, error: { code: -32099, message: 'closed today' } },
      { result: { content: [{ type: 'text', text: 'a' }] }, error: null },
    ];
    const { client, errors } = await start((message, say) => {
      if (message.method === 'tools/call') say({ ...v, id: message.id, ...answers.shift() });
    });
    await expect(client.callTool('x', {})).rejects.toMatchObject({ code: 'peer/error', rpcCode: -32099 });
    await expect(client.callTool('x', {})).resolves.toMatchObject({ content: [{ type: 'text', text: 'a' }] });
    expect(errors).toMatchObject([{ code: 'peer/deviation', data: { deviation: 'null-member' } }]);
  });

  it.each([
    [
      'gives result and error [base.response.result-xor-error]',
      { result: { content: [] }, error: { code: 1, message: 'm' } },
      'peer/malformed',
    ],
    ['gives neither [base.response.result-xor-error]', {}, 'peer/malformed'],
    ['gives a result that is not an object [base.response.result-object]', { result: 'x' }, 'peer/malformed'],
    ['gives an error without words [base.error.code-and-message]', { error: { code: 1 } }, 'peer/malformed'],
    // The call ran, so its result is read as one without content.
    ['gives a result of another method', { result: { tools: [] } }, 'result'],
    ['gives content that is none', { result: { content: [{ type: 'text' }] } }, 'peer/invalid-result'],
    [
      'gives a result of an unknown type [result.result-type-unknown-invalid]',
      { result: { resultType: 'x', content: [] } },
      'peer/invalid-result',
    ],
    ['asks without a question', { result: { resultType: 'input_required' } }, 'peer/invalid-result'],
    ['asks garbage', { result: { resultType: 'input_required', inputRequests: { a: null } } }, 'peer/invalid-result'],
    [
      'asks what cannot be answered',
      { result: { resultType: 'input_required', inputRequests: { a: { method: '__proto__' } } } },
      'call/unanswered-request',
    ],
    [
      'gives an error [base.error.code-integer]',
      { error: { code: -32000, message: 'm', data: { a: 1 } } },
      'peer/error',
    ],
  ])('reports an invalid response, and continues: it %s', async (_, answer, code) => {
    const { client, received } = await start((message, say) => say({ ...v, id: message.id, ...answer }));
    expect(await outcome(client.callTool('a'))).toBe(code);
    await client.ping();
    // Nothing was said in return to an answer.
    expect(received.filter(message => !('method' in message))).toEqual([]);
    await client.close();
  });

  it('uses the first of repeated or late responses, and reports the others [cancellation.sender-ignores-late-response]', async () => {
    const { client, errors, say } = await start((message, answer) => {
      answer({ ...v, id: message.id, result: { content: [] } });
      answer({ ...v, id: message.id, result: { content: [{ type: 'text', text: 'second' }] } });
      answer({ ...v, id: 12345, result: {} });
      answer({ ...v, id: String(message.id), result: {} });
    });
    expect(await client.callTool('a')).toMatchObject({ content: [] });
    say({ ...v, id: null, error: { code: -32700, message: 'what?' } });
    await soon();
    expect(errors.map(({ code }) => code)).toEqual([
      'peer/unknown-response',
      'peer/unknown-response',
      'peer/unknown-response',
      'peer/unreadable',
    ]);
    await client.close();
  });

  it('names the server of a malformed notification', async () => {
    const { client, errors, say } = await start(() => {});
    say({ ...v, method: 'notifications/message', params: { level: 'loud', data: 1 } });
    await soon();
    expect(errors).toMatchObject([{ code: 'peer/malformed', peer: expect.stringContaining('odd') }]);
    await client.close();
  });

  it('times out, and sends a cancellation, when the server never responds [lifecycle.timeouts.set lifecycle.timeouts.cancel-on-expiry cancellation.timeout-cancels]', async () => {
    const { client, clock, received } = await start(() => {});
    const call = outcome(client.callTool('a'));
    await soon();
    clock.advance(60_000);
    expect(await call).toBe('call/timeout');
    await soon();
    const first = received.find(({ method }) => method === 'tools/call');
    expect(received.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: first?.id } });
    expect(clock.timers).toBe(0);
    await client.close();
  });

  it('rejects with an unknown outcome when the server exits during a call', async () => {
    const { client } = await start((message, _say, hangUp) => {
      if (message.method === 'tools/call') hangUp();
    });
    expect(await outcome(client.callTool('a'))).toBe('call/outcome-unknown');
    await client.close();
  });

  it('survives any garbage from the server', async () => {
    const { client, say } = await start((message, answer) => answer({ ...v, id: message.id, result: { content: [] } }));
    const name = fc.constantFrom(
      'notifications/progress',
      'notifications/message',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
      'notifications/cancelled',
      'constructor',
      '__proto__',
      'toString',
      'sampling/createMessage',
      'elicitation/create',
      'roots/list',
      'ping',
    );
    const params = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom(
          'progressToken',
          'progress',
          'requestId',
          'level',
          'data',
          'uri',
          '_meta',
          '__proto__',
          'mode',
          'requestedSchema',
        ),
        fc.jsonValue(),
      ),
    );
    const message = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { jsonrpc: fc.constant('2.0'), id: fc.jsonValue(), method: name, params, result: fc.jsonValue() },
        { requiredKeys: ['jsonrpc', 'method'] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message), async messages => {
        for (const each of messages) say(each);
        await client.callTool('a');
      }),
      { numRuns: takeRuns(100) },
    );
    expect(client.state).toBe('connected');
    await client.close();
  });

  it('responds method not found to methods named like members of Object.prototype [base.error.method-not-found]', async () => {
    const { client, received, say } = await start(() => {}, {
      sample: () => ({}) as never,
      elicit: () => undefined as never,
      roots: [],
    });
    for (const method of ['constructor', '__proto__', 'toString', 'no/such', 'tools/call'])
      say({ ...v, id: method, method });
    say({ ...v, id: 's', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } });
    say({ ...v, id: 'r', method: 'roots/list', params: { _meta: 5 } });
    await soon();
    await soon();
    const answers = received.flatMap(({ id, error }) => (error ? [[id, (error as Json).code]] : []));
    expect(answers).toEqual(
      expect.arrayContaining([
        ['constructor', -32601],
        ['__proto__', -32601],
        ['toString', -32601],
        ['no/such', -32601],
        ['tools/call', -32601],
        ['s', -32603],
        ['r', -32602],
      ]),
    );
    expect(answers).toHaveLength(7);
    await client.close();
  });

  it('continues when its listeners throw', async () => {
    const { client, errors } = await start((message, say) => {
      say({ ...v, method: 'notifications/progress', params: { progressToken: message.id, progress: 1 } });
      say({ ...v, method: 'notifications/message', params: { level: 'error', data: 1 } });
      say({ ...v, id: message.id, result: { content: [] } });
    });
    const thrower = () => {
      throw new Error('listener');
    };
    client.on('log', thrower);
    client.on('error', thrower);
    client.on('state', thrower);
    expect(await client.callTool('a', {}, { onProgress: thrower })).toMatchObject({ content: [] });
    expect(errors).toMatchObject([{ code: 'listener/threw' }]);
    await client.close();
  });
});

describe('a client over HTTP', () => {
  async function serve(answer: (request: IncomingMessage, response: ServerResponse, message: Json) => void) {
    let requests = 0;
    const server = createServer((request, response) => {
      requests++;
      let body = '';
      request.on('data', chunk => {
        body += chunk;
      });
      request.on('end', () => {
        const message = (body ? JSON.parse(body) : {}) as Json;
        if (message.method !== 'initialize') return answer(request, response, message);
        response
          .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 's' })
          .end(JSON.stringify(initialized(message.id)));
      });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const close = () => {
      server.closeAllConnections();
      server.close();
    };
    return { url, close, count: () => requests };
  }

  it('reconnects with delays when the server ends each stream at once', async () => {
    const server = await serve((request, response) => {
      if (request.method === 'GET') response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
      else response.writeHead(202).end();
    });
    const client = await connect(server.url, { protocolVersion: '2025-11-25' });
    await new Promise(resolve => setTimeout(resolve, 400));
    expect(server.count()).toBeLessThan(6);
    await client.close();
    server.close();
  });

  it.each([
    ['garbage', 'application/json', '{"jsonrpc":', /peer|http/],
    ['a page', 'text/html', '<html>', /peer|http/],
    ['nothing', 'application/json', '', /peer|http/],
    ['an answer to something else', 'application/json', '{"jsonrpc":"2.0","id":9999,"result":{}}', /peer|http|call/],
    ['a stream of garbage', 'text/event-stream', 'data: {]\n\nevent: x\ndata: 5\n\n', /peer|http|call/],
  ])('rejects with a reason when the server responds with %s', async (_, type, body, code) => {
    const server = await serve((request, response, message) => {
      if (request.method === 'GET') return void response.writeHead(405).end();
      if (message.method === 'tools/call') response.writeHead(200, { 'content-type': type }).end(body);
      else if ('id' in message)
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...v, id: message.id, result: { tools: [] } }));
      else response.writeHead(202).end();
    });
    const client = await connect(server.url, { protocolVersion: '2025-11-25' });
    // A response that ends the call is waited for, because a busy machine takes its time.
    const limits = code.test('call/timeout') ? { idleTimeout: 1500 } : {};
    expect(await outcome(client.callTool('a', {}, limits))).toMatch(code);
    expect(await client.call('tools/list')).toMatchObject({ tools: [] });
    await client.close();
    server.close();
  });
});
