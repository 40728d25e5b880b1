import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { connect } from 'tenon';
import { createHandler } from 'tenon/http';
import { describe, expect, it } from 'vitest';
import type { Transport } from '../../jsonrpc/transport.js';
import { tool } from '../../server/definitions/tool.js';
import { createServer } from '../../server/server.js';
import { createTransportPair } from '../../transports/memory.js';
import { connectTo } from '../connect.js';
import { createTransportEndpoint } from '../connection/endpoint.js';
import { describeBothAttempts, mayHaveExecuted } from './call-outcome.js';

const soon = () => new Promise(resolve => setImmediate(resolve));
const unreachable = new TenonError('http/unreachable', 'nobody listens', { hint: 'nothing was sent' });

/** A client whose connection can be lost with any error, and that cannot be opened again. */
async function start() {
  const server = createServer({
    name: 's',
    version: '1',
    tools: { never: tool({ run: () => new Promise<string>(() => {}) }) },
  });
  let receive: ((error: TenonError) => void) | undefined;
  const open = async (): Promise<Transport> => {
    if (receive) throw unreachable;
    const pair = createTransportPair();
    await server.connect(pair.server);
    const channel = pair.client;
    return {
      peer: channel.peer,
      send: (...sent) => channel.send(...sent),
      close: () => channel.close(),
      open(receiver) {
        receive = error => receiver.onClose(error);
        return channel.open(receiver);
      },
    };
  };
  const client = await connectTo(createTransportEndpoint(open), { validate: 'off' });
  const lose = async (code: string) => {
    await soon();
    receive?.(new TenonError(code, 'the server is gone'));
  };
  return { client, lose };
}

describe('a call whose connection is lost', () => {
  it.each(['stdio/output-closed', 'stdio/write-failed', 'stdio/exited', 'connection/closed', 'http/interrupted'])(
    'rejects with call/outcome-unknown after %s',
    async code => {
      const { client, lose } = await start();
      const call = client.callTool('never');
      call.catch(() => {});
      await lose(code);
      await expect(call).rejects.toMatchObject({ code: 'call/outcome-unknown', cause: { code } });
      await client.close();
    },
  );

  it('names both attempts when the second one fails too', async () => {
    const { client, lose } = await start();
    const call = client.callTool('never', {}, { idempotent: true });
    call.catch(() => {});
    await lose('stdio/output-closed');
    const error = await call.catch((error: TenonError) => error);
    expect(error).toMatchObject({
      code: 'call/outcome-unknown',
      cause: { errors: [{ code: 'stdio/output-closed' }, unreachable] },
    });
    expect((error as TenonError).message).toMatch(/nobody listens.*stdio\/output-closed.*may have executed it once/s);
    await client.close();
  });
});

const json = { 'content-type': 'application/json' };
const reply = (body: string, init: { status?: number; headers?: Record<string, string> }) => () =>
  new Response(body, init);
const malformed = async (request: Request) => {
  const { id } = JSON.parse(await request.text());
  const result = { content: 'none', resultType: 'complete' };
  return new Response(JSON.stringify({ jsonrpc: '2.0', id, result }), { headers: json });
};

/** A client of a server over HTTP whose responses to one method are replaced. */
async function connectReplacing(
  method: string,
  replace: (request: Request) => Response | Promise<Response>,
  protocolVersion = '2026-07-28',
) {
  const clock = fakeClock();
  const replaced = new Map([[method, replace]]);
  const tools = { pay: tool({ run: () => 'paid' }) };
  const server = createServer({ name: 's', version: '1', tools, resources: { 'note://a': { read: () => 'a' } } });
  const handler = createHandler(server);
  const fetch = async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init);
    const text = request.method === 'POST' ? await request.clone().text() : '';
    const [, found] = [...replaced].find(([name]) => text.includes(`"${name}"`)) ?? [];
    return found ? found(request) : handler(request);
  };
  const client = await connect({ url: 'http://localhost/mcp', fetch }, { clock, protocolVersion });
  client.on('error', () => {});
  const close = async () => {
    void client.close();
    await handler.close({ timeout: 0 });
  };
  return { client, clock, close, replace: replaced.set.bind(replaced) };
}

describe('a call whose response shows not if the server has executed it', () => {
  const advice = /^check the effect before you send the request again, because the server may have executed it/;

  it.each([
    ['http/status', reply('', { status: 408 })],
    ['http/status', reply('', { status: 500 })],
    ['peer/unreadable', reply('{', { headers: json })],
    ['peer/no-answer', reply('', { status: 202 })],
    ['peer/no-answer', reply('<p>', { headers: { 'content-type': 'text/html' } })],
    ['peer/invalid-result', malformed],
  ] as const)('keeps the code %s, and adds the advice to check the effect', async (code, replace) => {
    const { client, close } = await connectReplacing('tools/call', replace);
    const error = await client.callTool('pay').catch((thrown: TenonError) => thrown);
    expect(error).toMatchObject({ code, hint: expect.stringMatching(advice), data: { outcome: 'unknown' } });
    const repeatable = await client.callTool('pay', {}, { idempotent: true }).catch((thrown: TenonError) => thrown);
    expect(repeatable).toMatchObject({ code, data: undefined });
    await close();
  });

  it('adds the advice to a timeout, before the option to raise', async () => {
    const { client, clock, close } = await connectReplacing('tools/call', () => new Promise<Response>(() => {}));
    const call = client.callTool('pay', {}, { totalTimeout: 100 }).catch((thrown: TenonError) => thrown);
    await soon();
    await soon();
    clock.advance(100);
    const error = await call;
    expect(error).toMatchObject({ code: 'call/timeout', data: { outcome: 'unknown' } });
    expect((error as TenonError).hint).toMatch(/^check the effect .*; then raise `totalTimeout`/);
    await close();
  });

  it('gives no such advice for a request that only reads, or that was refused', async () => {
    for (const [method, replace] of [
      ['resources/read', reply('', { status: 500 })],
      ['tools/call', reply('', { status: 403 })],
      ['tools/call', reply('', { status: 503, headers: { 'retry-after': '5' } })],
    ] as const) {
      const { client, close } = await connectReplacing(method, replace);
      const call = method === 'tools/call' ? client.callTool('pay') : client.readResource('note://a');
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'http/status', data: undefined });
      expect((error as TenonError).hint).not.toMatch(/check the effect/);
      await close();
    }
  });

  it('gives no such advice if the session was lost, and the request that opens another one fails', async () => {
    const broken = () =>
      new Response(new ReadableStream({ pull: stream => stream.error(new Error('cut')) }), { headers: json });
    const { client, close, replace } = await connectReplacing('tools/call', reply('', { status: 404 }), '2025-11-25');
    replace('initialize', broken);
    const error = await client.callTool('pay').catch((thrown: TenonError) => thrown);
    expect(error).toMatchObject({ code: 'http/interrupted', method: 'initialize', data: undefined });
    expect((error as TenonError).hint).toBeUndefined();
    await close();
  });

  it('adds the advice to the second attempt after a lost session', async () => {
    let count = 0;
    const replies = [reply('', { status: 404 }), reply('{', { headers: json })];
    const { client, close } = await connectReplacing(
      'tools/call',
      () => (replies[count++] ?? reply('', {}))(),
      '2025-11-25',
    );
    const error = await client.callTool('pay').catch((thrown: TenonError) => thrown);
    expect(error).toMatchObject({ hint: expect.stringMatching(advice), data: { outcome: 'unknown' } });
    await close();
  });
});

describe('describeBothAttempts', () => {
  const first = new TenonError('stdio/exited', 'the server exited');

  it('keeps the code of the second error for a request that only reads', () => {
    const error = describeBothAttempts(first, unreachable, 'tools/list');
    expect(error).toMatchObject({ code: 'http/unreachable', hint: 'nothing was sent' });
    expect(error.summary).toBe('nobody listens; the first attempt failed (stdio/exited: the server exited)');
  });

  it('keeps code, message and data of a response, and adds that the call may have run once', () => {
    const answer = new TenonError('peer/error', 'exists already', { rpcCode: -32000, data: { id: 1 } });
    const error = describeBothAttempts(first, answer, 'tools/call');
    expect(error).toMatchObject({ code: 'peer/error', summary: 'exists already', rpcCode: -32000, data: { id: 1 } });
    expect(error.hint).toMatch(/may have executed it once.*first attempt failed \(stdio\/exited/);
  });

  it('does not mention a second run when the server refused the first attempt', () => {
    const lost = new TenonError('session/gone', 'the server no longer knows the session');
    const error = describeBothAttempts(lost, unreachable, 'tools/call');
    expect(error).toMatchObject({ code: 'http/unreachable', hint: 'nothing was sent' });
    expect(error.summary).toContain('session/gone');
  });

  it('keeps the code of a cancellation by the caller', () => {
    const aborted = new TenonError('call/aborted', 'the call was cancelled');
    expect(describeBothAttempts(first, aborted, 'tools/call').code).toBe('call/aborted');
  });
});

describe('mayHaveExecuted', () => {
  it.each([
    ['peer/unreadable', {}, true],
    ['peer/no-answer', {}, true],
    ['peer/invalid-result', {}, true],
    ['stdio/output-closed', {}, true],
    ['call/timeout', {}, true],
    ['session/rejected', { rpcCode: -32000, status: 400 }, true],
    ['http/status', { status: 502 }, true],
    ['http/status', { status: 408 }, true],
    ['http/status', { status: 403 }, false],
    ['http/unreachable', {}, false],
    ['session/gone', { status: 404 }, false],
    ['peer/error', { rpcCode: -32602 }, false],
    ['auth/needed', { status: 401 }, false],
    ['http/invalid-header', {}, false],
    ['http/status', { status: 503 }, true],
    ['http/status', { status: 503, retryAfterMs: 5000 }, false],
  ] as const)('classifies %s %j as %s', (code, facts, expected) => {
    expect(mayHaveExecuted(new TenonError(code, 'x', facts))).toBe(expected);
  });
});
