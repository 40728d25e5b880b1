import { setImmediate } from 'node:timers/promises';
import { connectPair, fakeClock, type PairOptions, protocolVersions } from '@tenon/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../../client/client.js';
import type { JsonRpcMessage } from '../../../jsonrpc/message.js';
import { resource } from '../../../server/definitions/resource.js';
import type { Tools } from '../../../server/definitions/server-definition.js';
import { tool } from '../../../server/definitions/tool.js';
import { createServer } from '../../../server/server.js';
import { createTransportPair } from '../../../transports/memory.js';
import { ForkedServer } from './fixtures/forked-server.js';
import { createReplaceableServer, type ReplaceableServer } from './replaceable-server.js';
import type { ReplaceableServerOptions } from './server-forwarder.js';

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

const say = (text: string) => tool({ run: () => text });
const serve = (tools: Tools) => createServer({ name: 'notes', version: '1.0.0', tools });

async function start(tools: Tools, options?: ReplaceableServerOptions) {
  const server = createReplaceableServer(options);
  const forked = await activate(server, tools);
  return { server, forked };
}

async function activate(server: ReplaceableServer, tools: Tools) {
  const forked = new ForkedServer(serve(tools));
  await server.attach(forked.process).activate();
  return forked;
}

/** A client, and the methods of the messages that it exchanged. */
async function open(server: ReplaceableServer, options: PairOptions = {}) {
  const seen: string[] = [];
  const onMessage = (_: unknown, message: JsonRpcMessage | readonly unknown[]) =>
    void ('method' in message && seen.push(message.method));
  const client = await connectPair(server, { ...options, onMessage });
  clients.push(client);
  return { client, seen };
}

const textOf = async (call: Promise<{ content: readonly unknown[] }>) => (await call).content[0];

describe.each(protocolVersions)('a replaceable server on %s', protocolVersion => {
  it('continues a session in another process, without a handshake', async () => {
    const { server } = await start({ hello: say('one') });
    const { client, seen } = await open(server, { protocolVersion });
    expect(await textOf(client.callTool('hello', {}))).toMatchObject({ text: 'one' });
    const before = seen.filter(method => method === 'initialize').length;
    await activate(server, { hello: say('two') });
    expect(await textOf(client.callTool('hello', {}))).toMatchObject({ text: 'two' });
    expect(seen.filter(method => method === 'initialize')).toHaveLength(before);
    await server.close();
  });

  it('notifies clients of the lists that differ, and of no others', async () => {
    const { server } = await start({ hello: say('one') });
    const { client } = await open(server, { protocolVersion });
    const changes = client.watch({ tools: true })[Symbol.asyncIterator]();
    const first = changes.next();
    await client.callTool('hello', {});
    expect(await server.attach(new ForkedServer(serve({ hello: say('two') })).process).activate()).toEqual([]);
    const other = new ForkedServer(serve({ hello: say('two'), more: say('x') }));
    expect(await server.attach(other.process).activate()).toEqual(['tools']);
    expect((await first).value).toMatchObject({ list: 'tools' });
    await changes.return?.();
    await server.close();
  });

  it('ends calls on the process that runs them, and then stops it', async () => {
    let finish: (() => void) | undefined;
    const work = tool({ run: () => new Promise<string>(resolve => (finish = () => resolve('old'))) });
    const { server, forked } = await start({ work });
    const { client } = await open(server, { protocolVersion });
    const call = client.callTool('work', {});
    await expect.poll(() => finish).toBeDefined();
    await activate(server, { work: say('new') });
    expect(await textOf(client.callTool('work', {}))).toMatchObject({ text: 'new' });
    expect(forked.exitCode).toBeNull();
    finish?.();
    expect(await textOf(call)).toMatchObject({ text: 'old' });
    await expect.poll(() => forked.exitCode).toBe(0);
    await server.close();
  });

  it('fails the calls of a process that ends, and serves again with the next one', async () => {
    const work = tool({ run: () => new Promise<string>(() => {}) });
    const { server, forked } = await start({ work });
    const { client } = await open(server, { protocolVersion });
    const call = client.callTool('work', {});
    const failed = expect(call).rejects.toMatchObject({
      code: 'call/outcome-unknown',
      summary: 'The process of the server ended before it responded. The request may have taken effect',
    });
    await expect.poll(() => forked.listenerCount('message')).toBeGreaterThan(0);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    forked.exit(1);
    await failed;
    const waiting = client.callTool('work', {});
    await activate(server, { work: say('again') });
    expect(await textOf(waiting)).toMatchObject({ text: 'again' });
    await server.close();
  });
});

describe('a replaceable server', () => {
  it('delivers the response to an input request to the process that sent it', async () => {
    const ask = tool({
      async run(_, ctx) {
        const answer = await ctx.elicit({ message: 'Name?', input: { type: 'object', properties: {} } });
        return `old ${answer.action}`;
      },
    });
    const { server, forked } = await start({ ask });
    const { client } = await open(server, {
      protocolVersion: '2025-11-25',
      async elicit() {
        await activate(server, { ask: say('new') });
        return { action: 'decline' };
      },
    });
    expect(await textOf(client.callTool('ask', {}))).toMatchObject({ text: 'old decline' });
    await expect.poll(() => forked.exitCode).toBe(0);
    await server.close();
  });

  it('keeps subscriptions to resources, and reports that they may have changed', async () => {
    const notes = () =>
      createServer({
        name: 'notes',
        version: '1.0.0',
        resources: { 'note://a': resource({ name: 'a', read: () => 'text' }) },
      });
    const server = createReplaceableServer();
    await server.attach(new ForkedServer(notes()).process).activate();
    for (const protocolVersion of ['2025-11-25', '2026-07-28']) {
      const { client } = await open(server, { protocolVersion });
      const changes = client.watch('note://a')[Symbol.asyncIterator]();
      const first = changes.next();
      await client.readResource('note://a');
      const second = notes();
      await server.attach(new ForkedServer(second).process).activate();
      expect((await first).value).toMatchObject({ uri: 'note://a' });
      const next = changes.next();
      for (let turn = 0; turn < 10; turn += 1) await setImmediate();
      second.notifyResourceUpdated('note://a');
      expect((await next).value).toMatchObject({ uri: 'note://a' });
      await changes.return?.();
    }
    await server.close();
  });

  it('completes an open listen request when its session ends', async () => {
    const { server } = await start({ hello: say('one') });
    const pair = createTransportPair();
    const session = await server.connect(pair.server);
    const received: unknown[] = [];
    await pair.client.open({
      onMessage: message => void received.push(message),
      onParseError() {},
      onResponseLost() {},
      onClose() {},
    });
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { notifications: { toolsListChanged: true }, _meta };
    await pair.client.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params });
    await expect.poll(() => received.length).toBe(1);
    session.endListening?.();
    await expect.poll(() => received.length).toBe(3);
    expect(received.slice(1)).toMatchObject([
      { id: 1, result: { resultType: 'complete' } },
      { method: 'notifications/cancelled', params: { requestId: 1 } },
    ]);
    await server.close();
  });

  it('notifies of a list that is empty now', async () => {
    const { server } = await start({ hello: say('one') });
    const { client } = await open(server, { protocolVersion: '2025-11-25' });
    const changes = client.watch({ tools: true })[Symbol.asyncIterator]();
    const first = changes.next();
    await client.callTool('hello', {});
    await activate(server, {});
    expect((await first).value).toMatchObject({ list: 'tools' });
    await changes.return?.();
    await server.close();
  });

  it('responds to each request of a batch, with a process and without one', async () => {
    const { server, forked } = await start({ hello: say('one') });
    const { client: end, server: transport } = createTransportPair();
    const responses: unknown[] = [];
    const receive = (message: unknown) => responses.push(...[message].flat().map(each => (each as { id: number }).id));
    await end.open({ onMessage: receive, onParseError() {}, onResponseLost() {}, onClose() {} });
    await server.connect(transport);
    const params = { protocolVersion: '2025-03-26', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    await end.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await expect.poll(() => responses).toEqual([1]);
    const sendBatch = (ids: number[]) =>
      end.send(ids.map(id => ({ jsonrpc: '2.0', id, method: 'ping' })) as unknown as JsonRpcMessage);
    await sendBatch([2, 3]);
    await expect.poll(() => responses).toEqual([1, 2, 3]);
    forked.exit(1);
    await setImmediate();
    await sendBatch([4, 5]);
    server.refuse('not now');
    await expect.poll(() => responses).toEqual([1, 2, 3, 4, 5]);
    await end.close();
    await server.close();
  });

  it('refuses requests with a reason while no process serves', async () => {
    const server = createReplaceableServer();
    const opening = expect(open(server)).rejects.toThrow('The server does not load');
    server.refuse('The server does not load');
    await opening;
    await activate(server, { hello: say('one') });
    server.refuse('not now');
    const { client } = await open(server);
    expect(await textOf(client.callTool('hello', {}))).toMatchObject({ text: 'one' });
    await server.close();
  });

  it('stops a replaced process after the drain timeout, and fails its calls', async () => {
    const clock = fakeClock();
    const work = tool({ run: () => new Promise<string>(() => {}) });
    const { server, forked } = await start({ work }, { clock, drainTimeout: 500 });
    const { client } = await open(server);
    const call = client.callTool('work', {});
    const failed = expect(call).rejects.toThrow('ended before it responded');
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    await activate(server, { work });
    clock.advance(499);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(forked.exitCode).toBeNull();
    clock.advance(1);
    await failed;
    await expect.poll(() => forked.exitCode).toBe(0);
    await server.close();
  });

  it('kills a process that does not stop', async () => {
    const clock = fakeClock();
    const server = createReplaceableServer({ clock });
    const forked = new ForkedServer();
    const attached = server.attach(forked.process);
    const activation = expect(attached.activate()).rejects.toMatchObject({ code: 'serve/process-ended' });
    const stopped = attached.stop();
    clock.advance(2000);
    await Promise.all([activation, stopped]);
    expect(forked.signalCode).toBe('SIGKILL');
  });
});
