import { getEventListeners } from 'node:events';
import { type JsonObject, LazyAbortSignal, rpcError, TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Transport } from '../../jsonrpc/transport.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { createTransportPair } from '../../transports/memory.js';
import { CallDeadline } from '../calls/call-deadline.js';
import { connectTo } from '../connect.js';
import type { Connection } from '../connection/connection.js';
import { createTransportEndpoint } from '../connection/endpoint.js';
import type { ClientOptions } from '../options.js';
import { resolveInputRequests } from './input-rounds.js';

const link = { peer: 's', endSignal: new LazyAbortSignal() } as Connection;
const roots = { method: 'roots/list' };
const asks = (requestState?: string, inputRequests?: object) => ({
  resultType: 'input_required',
  ...(inputRequests ? { inputRequests } : {}),
  ...(requestState === undefined ? {} : { requestState }),
});

function start(answers: JsonObject[], options: ClientOptions = { roots: [] }, signal?: AbortSignal) {
  const sent: JsonObject[] = [];
  const send = async (params: JsonObject) => {
    sent.push(params);
    return answers[Math.min(sent.length, answers.length) - 1] as JsonObject;
  };
  const params = { name: 'a', arguments: { x: 1 } };
  const allowance = new CallDeadline(fakeClock());
  const result = send(params).then(first =>
    resolveInputRequests(first, params, send, link, options, allowance, signal),
  );
  return { sent, result };
}

describe('the rounds of a call with input requests', () => {
  it('repeat the request with the same params and the responses under the same keys [mrtr.retry-original-params mrtr.input-responses-key-for-key mrtr.retry-params-location mrtr.input-responses-map mrtr.fulfil-before-retry]', async () => {
    const { sent, result } = start([asks('s1', { a: roots, b: roots }), asks('s2', { c: roots }), { content: [] }]);
    expect(await result).toEqual({ content: [] });
    const original = { name: 'a', arguments: { x: 1 } };
    const answer = { roots: [] };
    expect(sent).toEqual([
      original,
      { ...original, inputResponses: { a: answer, b: answer }, requestState: 's1' },
      { ...original, inputResponses: { c: answer }, requestState: 's2' },
    ]);
  });

  it('return requestState unchanged, even if empty, and add none [mrtr.request-state-echoed mrtr.request-state-opaque mrtr.request-state-not-invented]', async () => {
    for (const state of ['', ' \u0000é', 'x'.repeat(100_000)]) {
      const { sent, result } = start([asks(state), {}]);
      await result;
      expect(sent[1]).toEqual({ ...sent[0], requestState: state });
    }
    const { sent, result } = start([asks(undefined, { a: roots }), {}]);
    await result;
    expect(sent[1]).not.toHaveProperty('requestState');
  });

  it('end after ten rounds, or after `maxRounds`', async () => {
    const { sent, result } = start([asks('x')]);
    await expect(result).rejects.toMatchObject({ code: 'call/too-many-rounds' });
    expect(sent).toHaveLength(11);
    await expect(start([asks('x')], { maxRounds: 0 }).result).rejects.toMatchObject({ code: 'call/too-many-rounds' });
  });

  it.each([
    asks(),
    { ...asks('x'), requestState: 5 },
    asks('x', []),
    asks('x', { a: null }),
    asks('x', { a: { method: 5 } }),
    asks('x', { a: { method: 'roots/list', params: 5 } }),
  ])('reject an invalid result: %j [mrtr.at-least-one-field mrtr.input-required-shape]', async question => {
    await expect(start([question]).result).rejects.toMatchObject({ code: 'peer/invalid-result' });
  });

  it.each<[object | undefined, string]>([
    [undefined, 'it has neither `inputRequests` nor `requestState`'],
    [[], 'at /inputRequests: expected an object, got an array'],
    [{ a: null }, 'at /inputRequests/a: expected an object, got null'],
    [{ a: { method: 5 } }, 'at /inputRequests/a/method: expected a string, got a number'],
  ])('name the invalid member of input requests: %j', async (inputRequests, issue) => {
    const { result } = start([asks(undefined, inputRequests)]);
    await expect(result).rejects.toMatchObject({ message: expect.stringContaining(issue) });
  });

  it('reject when no handler can respond', async () => {
    const params = { message: 'm', requestedSchema: { type: 'object', properties: {} } };
    for (const method of ['elicitation/create', 'tools/call', '__proto__']) {
      await expect(start([asks('x', { a: { method, params } })]).result).rejects.toMatchObject({
        code: 'call/unanswered-request',
      });
    }
  });

  it.each<[string, unknown, RegExp]>([
    [
      'an error',
      new Error('no disk, token ghp_0123456789abcdefghijABCDEFGHIJ012345'),
      /handler failed.*no disk, token (?!ghp_)/s,
    ],
    ['an error of JSON-RPC', rpcError(-1, 'User rejected'), /handler failed.*User rejected/s],
    ['a text', 'stop', /handler failed.*stop/s],
    [
      'a path',
      new Error("ENOENT: no such file, open '/home/ada/answers.json'"),
      /handler failed.*no such file, open '…'/s,
    ],
    ['a Windows path', new Error('cannot read C:\\Users\\ada\\a.txt or file:///home/ada/a'), /cannot read … or …/],
  ])('name the error of a handler that fails with %s, without its secrets and paths', async (_, thrown, message) => {
    const handlers: ClientOptions = {
      roots: () => {
        throw thrown;
      },
    };
    const error = await start([asks('x', { a: roots })], handlers).result.catch(each => each);
    expect(error).toMatchObject({
      code: 'call/unanswered-request',
      message: expect.stringMatching(message),
      cause: thrown,
    });
    expect(error.message).not.toMatch(/pass a handler|ada/);
  });

  it('name the missing handler of an elicitation mode that the client did not declare', async () => {
    const params = { mode: 'url', message: 'm', url: 'https://example.com/', elicitationId: 'e' };
    const { result } = start([asks('x', { a: { method: 'elicitation/create', params } })], {
      elicit: () => ({ action: 'accept', content: {} }),
    });
    await expect(result).rejects.toMatchObject({
      code: 'call/unanswered-request',
      message: expect.stringMatching(/mode url was not declared.*Pass a handler/s),
    });
  });

  it('end with the signal while the user decides, and leave no listener on it', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    await start([asks('x', { a: roots }), {}], { roots: [] }, signal).result;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    const { result } = start([asks('x', { a: roots })], { roots: () => new Promise(() => {}) }, signal);
    await new Promise(resolve => setImmediate(resolve));
    controller.abort('enough');
    await expect(result).rejects.toMatchObject({ code: 'call/aborted', cause: 'enough' });
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await expect(start([asks('x', { a: roots })], { roots: [] }, signal).result).rejects.toMatchObject({
      code: 'call/aborted',
    });
  });

  it('pause the timeout of the call while the user decides', async () => {
    const clock = fakeClock();
    const allowance = new CallDeadline(clock, 100);
    let decide: (roots: never[]) => void = () => {};
    const options: ClientOptions = { roots: () => new Promise(resolve => (decide = resolve)) };
    const send = async (params: JsonObject) => {
      clock.advance(30);
      return 'inputResponses' in params ? {} : asks('s', { a: roots });
    };
    const result = resolveInputRequests(await send({}), {}, send, link, options, allowance, undefined);
    await new Promise(setImmediate);
    clock.advance(10_000);
    decide([]);
    await result;
    expect(allowance.remaining).toBe(40);
  });

  it('reject when the user takes too long', async () => {
    const clock = fakeClock();
    const options: ClientOptions = { roots: () => new Promise(() => {}), answerTimeout: 50, clock };
    const { result } = start([asks('s', { a: roots })], options);
    await new Promise(setImmediate);
    clock.advance(50);
    await expect(result).rejects.toMatchObject({ code: 'call/unanswered-request', cause: { code: 'answer/timeout' } });
  });
});

describe('a call that waits for a handler', () => {
  const server = createServer({
    name: 's',
    version: '1',
    tools: { ask: tool({ run: async (_, ctx) => (await ctx.elicit({ message: 'm', input: z.object({}) })).action }) },
  });

  /** A call whose handler never ends, on a connection that can be lost. */
  async function startWaiting() {
    let lose: (error: TenonError) => void = () => {};
    const open = async (): Promise<Transport> => {
      const pair = createTransportPair();
      await server.connect(pair.server);
      const channel = pair.client;
      return {
        peer: channel.peer,
        send: (...sent) => channel.send(...sent),
        close: () => channel.close(),
        open(receiver) {
          lose = error => receiver.onClose(error);
          return channel.open(receiver);
        },
      };
    };
    let announceRun: (signal: AbortSignal) => void = () => {};
    const running = new Promise<AbortSignal>(resolve => {
      announceRun = resolve;
    });
    const client = await connectTo(createTransportEndpoint(open), {
      protocolVersion: '2026-07-28',
      elicit: (_, { signal }) => {
        announceRun(signal);
        return new Promise(() => {});
      },
    });
    const call = client.call('tools/call', { name: 'ask', arguments: {} });
    call.catch(() => {});
    return { client, call, signal: await running, lose: (error: TenonError) => lose(error) };
  }

  it('rejects when the client is closed, and aborts the signal of the handler', async () => {
    const { client, call, signal } = await startWaiting();
    await client.close();
    await expect(call).rejects.toMatchObject({ cause: { code: 'connection/closed' } });
    expect([signal.aborted, signal.reason]).toMatchObject([true, { code: 'connection/closed' }]);
  });

  it('rejects when the connection is lost, and aborts the signal of the handler', async () => {
    const { client, call, signal, lose } = await startWaiting();
    lose(new TenonError('stdio/exited', 'the process has ended'));
    await expect(call).rejects.toMatchObject({ code: 'call/outcome-unknown', cause: { code: 'stdio/exited' } });
    expect([signal.aborted, signal.reason]).toMatchObject([true, { code: 'stdio/exited' }]);
    await client.close();
  });

  it('rejects at once when the connection has ended before the handler runs', async () => {
    const endSignal = new LazyAbortSignal();
    endSignal.abort(new TenonError('stdio/exited', 'the process has ended'));
    const send = async () => asks('s', { a: roots });
    let runs = 0;
    const options: ClientOptions = { roots: () => new Promise(() => (runs += 1)) };
    const ended = { peer: 's', endSignal } as Connection;
    const result = resolveInputRequests(
      await send(),
      {},
      send,
      ended,
      options,
      new CallDeadline(fakeClock()),
      undefined,
    );
    await expect(result).rejects.toMatchObject({ code: 'stdio/exited' });
    expect(runs).toBe(0);
  });
});
