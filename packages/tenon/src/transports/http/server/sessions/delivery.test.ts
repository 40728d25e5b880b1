import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../../../test/support/extent.js';
import { createNotification } from '../../../../jsonrpc/message.js';
import { type Call, createFakeService } from '../../fixtures/fake-service.js';
import { JSON_HEADERS } from '../../fixtures/sites.js';
import { createStubExchange, type StubExchange } from '../../fixtures/stub-exchange.js';
import { createHttpEndpoint } from '../endpoint.js';

/** A client that loses connections, comes back to each stream with the last event that it saw, and keeps what it got. */
class Client {
  readonly got: unknown[] = [];
  #exchange: StubExchange | undefined;
  #lastId: string | undefined;
  readonly headers: Record<string, string>;
  readonly connect: (exchange: StubExchange) => void;

  constructor(headers: Record<string, string>, connect: (exchange: StubExchange) => void, first?: StubExchange) {
    this.headers = headers;
    this.connect = connect;
    this.#exchange = first;
  }

  read(): void {
    for (const frame of this.#exchange?.frames.splice(0) ?? []) {
      const id = /^id: (.*)$/m.exec(frame)?.[1];
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (id !== undefined) this.#lastId = id;
      if (data) this.got.push(JSON.parse(data));
    }
    if (this.#exchange?.answer !== undefined) this.got.push(JSON.parse(this.#exchange.answer));
    if (this.#exchange?.ended) this.#exchange = undefined;
  }

  /** Reads one frame, and no more. */
  glance(): void {
    const rest = this.#exchange?.frames.splice(1) ?? [];
    this.read();
    this.#exchange?.frames.push(...rest);
  }

  lose(): void {
    this.#exchange?.frames.splice(0);
    this.#exchange?.leave();
    this.#exchange = undefined;
  }

  return(): void {
    if (this.#exchange !== undefined) return;
    const resume = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
    this.#exchange = createStubExchange('GET', { ...this.headers, ...resume, accept: 'text/event-stream' });
    this.connect(this.#exchange);
  }
}

async function openSession(version: string) {
  const calls: Call[] = [];
  const service = createFakeService({ session: call => calls.push(call) > 0 });
  const endpoint = createHttpEndpoint(service);
  const params = { protocolVersion: version };
  const initialize = createStubExchange(
    'POST',
    JSON_HEADERS,
    JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }),
  );
  endpoint.handle(initialize);
  for (let turn = 0; initialize.status === undefined && turn < 20; turn++) await Promise.resolve();
  const headers = { ...JSON_HEADERS, 'mcp-session-id': initialize.headers['mcp-session-id'] ?? '' };
  return { calls, endpoint, headers, channel: service.peers[0]!.channel };
}

const moves = fc.array(fc.constantFrom('say', 'say', 'read', 'glance', 'lose', 'return'), { maxLength: 60 });

describe('any loss of connections', () => {
  it.each(['2025-03-26', '2025-11-25'])(
    'loses, repeats and reorders no message on the standalone stream, on %s [http.resume.replay] [http.multi.no-broadcast]',
    async version => {
      await fc.assert(
        fc.asyncProperty(fc.nat(3), moves, async (early, steps) => {
          const { endpoint, headers, channel } = await openSession(version);
          const client = new Client(headers, endpoint.handle);
          let count = 0;
          // What was said before the client listens is there when it does.
          while (count < early) channel.send(createNotification('n', { n: count++ }));
          client.return();
          // Where nothing gives the stream a place before the first message, that one must come for more to be fetched.
          if (version === '2025-03-26' && early === 0) channel.send(createNotification('n', { n: count++ }));
          client.glance();
          if (version === '2025-03-26' && early === 0) client.glance();
          for (const step of steps) {
            if (step === 'say') channel.send(createNotification('n', { n: count++ }));
            else client[step]();
          }
          client.return();
          client.read();
          expect(client.got).toEqual(Array.from({ length: count }, (_, n) => createNotification('n', { n })));
          await endpoint.close({ timeout: 0 });
        }),
        { numRuns: takeRuns(200) },
      );
    },
  );

  it('loses, repeats and reorders no message on the stream of a request [http.sse.response-delivered] [http.resume.no-cross-stream-replay]', async () => {
    await fc.assert(
      fc.asyncProperty(moves, moves, async (before, after) => {
        const { endpoint, headers, channel, calls } = await openSession('2025-11-25');
        const post = createStubExchange('POST', headers, '{"jsonrpc":"2.0","id":7,"method":"tools/call"}');
        endpoint.handle(post);
        const client = new Client(headers, endpoint.handle, post);
        let count = 0;
        const say = () => {
          channel.send(createNotification('elsewhere'));
          channel.send(createNotification('n', { n: count++ }), { relatedTo: 7 });
        };
        say();
        client.read();
        for (const step of before) step === 'say' ? say() : client[step]();
        calls[0]?.answer({});
        for (const step of after) if (step !== 'say' && client.got.length <= count) client[step]();
        if (client.got.length <= count) {
          client.return();
          client.read();
        }
        const messages = Array.from({ length: count }, (_, n) => createNotification('n', { n }));
        expect(client.got).toEqual([...messages, { jsonrpc: '2.0', id: 7, result: {} }]);
        await endpoint.close({ timeout: 0 });
      }),
      { numRuns: takeRuns(200) },
    );
  });
});
