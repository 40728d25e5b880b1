import { describe, expect, it } from 'vitest';
import { createSuccess, type JsonRpcMessage, markPreserialized } from '../jsonrpc/message.js';
import { createTransportPair } from './memory.js';

const soon = () => new Promise(resolve => setImmediate(resolve));
const note = (n: number): JsonRpcMessage => ({ jsonrpc: '2.0', method: 'n', params: { n } });

function createListener() {
  const log: unknown[] = [];
  return {
    log,
    onMessage: (value: unknown) => log.push(value),
    onParseError() {},
    onResponseLost() {},
    onClose: (error?: unknown) => log.push(['closed', error]),
  };
}

// The contract of every transport is in test/transports.
describe('createTransportPair', () => {
  it.each([
    ['copies', undefined],
    ['references, where messages are not copied', { copyMessages: false }],
  ])('delivers %s, in order, and never during the call that sends', async (_, options) => {
    const { client, server } = createTransportPair(undefined, options);
    const received = createListener();
    server.open(received);
    const messages = [note(1), note(2)];
    for (const each of messages) client.send(each);
    expect(received.log).toEqual([]);
    await soon();
    expect(received.log[0] === messages[0]).toBe(options?.copyMessages === false);
    expect(received.log).toEqual(messages);
  });

  it('delivers a copy of the data that JSON carries', async () => {
    const seen: unknown[] = [];
    const { client, server } = createTransportPair((_, message) => seen.push(message));
    const received = createListener();
    server.open(received);
    const params = {
      at: new Date(0),
      map: new Map([[1, 2]]),
      run: () => 1,
      none: undefined,
      list: [undefined, Number.NaN],
    };
    client.send({ jsonrpc: '2.0', method: 'n', params });
    params.list.push(1);
    await soon();
    const arrived = {
      jsonrpc: '2.0',
      method: 'n',
      params: { at: '1970-01-01T00:00:00.000Z', map: {}, list: [null, null] },
    };
    expect(received.log).toStrictEqual([arrived]);
    expect(seen).toStrictEqual([arrived]);
  });

  it('sends a frozen result that answers many requests as separate copies', async () => {
    const { client, server } = createTransportPair();
    const received = createListener();
    client.open(received);
    const result = markPreserialized({ tools: [{ name: 'a' }] });
    for (const id of [1, 2]) server.send(createSuccess(id, result));
    await soon();
    const [first, second] = received.log as { result: { tools: object[] } }[];
    first?.result.tools.pop();
    expect(second?.result).toStrictEqual({ tools: [{ name: 'a' }] });
    expect(result).toStrictEqual({ tools: [{ name: 'a' }] });
  });

  it('throws in send for a message that JSON cannot carry, and delivers the next one', async () => {
    const { client, server } = createTransportPair();
    const received = createListener();
    server.open(received);
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    for (const params of [circular, { n: 1n }])
      expect(() => client.send({ jsonrpc: '2.0', method: 'n', params })).toThrow(
        expect.objectContaining({ code: 'connection/send', received: expect.stringMatching(/ at \/params/) }),
      );
    client.send(note(1));
    await soon();
    expect(received.log).toEqual([note(1)]);
  });

  it('shows each message to its tap before it is delivered', () => {
    const seen: unknown[] = [];
    const { client, server } = createTransportPair((from, message) => seen.push([from, message]));
    client.send(note(1));
    server.send(note(2));
    expect(seen).toEqual([
      ['client', note(1)],
      ['server', note(2)],
    ]);
  });

  it('stores at most a thousand messages before the other side opens', async () => {
    const { client, server } = createTransportPair();
    for (let n = 0; n < 1000; n++) client.send(note(n));
    expect(() => client.send(note(1000))).toThrow(expect.objectContaining({ code: 'connection/not-open' }));
    const received = createListener();
    server.open(received);
    await soon();
    expect(received.log).toHaveLength(1000);
  });

  it('delivers earlier messages before its end, then reports the end to both sides, once', async () => {
    const { client, server } = createTransportPair();
    const [local, remote] = [createListener(), createListener()];
    client.open(local);
    server.open(remote);
    client.send(note(1));
    client.close();
    server.close();
    client.close();
    await soon();
    expect(remote.log).toEqual([['closed', undefined]]);
    expect(local.log).toEqual([['closed', undefined]]);
  });

  it('delivers the final error to the other side', async () => {
    const { client, server } = createTransportPair();
    const remote = createListener();
    server.open(remote);
    client.open(createListener());
    client.send(note(1));
    client.close();
    await soon();
    expect(remote.log).toEqual([note(1), ['closed', undefined]]);
    expect(() => server.send(note(2))).toThrow(expect.objectContaining({ code: 'connection/closed' }));
  });

  it('delivers stored messages to a side that opens after the other has closed, and then reports the end', async () => {
    const { client, server } = createTransportPair();
    client.send(note(1));
    client.close();
    expect(() => server.send(note(2))).toThrow(expect.objectContaining({ code: 'connection/closed' }));
    const remote = createListener();
    server.open(remote);
    await soon();
    expect(remote.log).toEqual([note(1), ['closed', undefined]]);
    const local = createListener();
    client.open(local);
    await soon();
    expect(local.log).toEqual([['closed', undefined]]);
  });
});
