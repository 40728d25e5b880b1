import { TenonError } from '@tenon/base';
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

describe('mayBeCarriedOut', () => {
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
  ] as const)('classifies %s %j as %s', (code, facts, expected) => {
    expect(mayHaveExecuted(new TenonError(code, 'x', facts))).toBe(expected);
  });
});
