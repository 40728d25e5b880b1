import type { TenonError } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createNotification, createSuccess } from '../../jsonrpc/message.js';
import { createLineWriter, type LineWriterOptions } from './line-writer.js';

/** A sink that is driven by hand. */
function drive(options: Partial<LineWriterOptions> = {}) {
  const writes: string[] = [];
  const turns: (() => void)[] = [];
  const state = { ended: 0, done: undefined as ((error?: unknown) => void) | undefined };
  const sink = {
    write(text: string, done: (error?: unknown) => void) {
      writes.push(text);
      state.done = done;
    },
    end: () => void state.ended++,
    schedule: (run: () => void) => void turns.push(run),
  };
  const turn = () => turns.splice(0).forEach(run => run());
  const settle = (error?: unknown) => {
    const { done } = state;
    state.done = undefined;
    done?.(error);
  };
  return { writer: createLineWriter(sink, { peer: 'stdio: it', ...options }), writes, turn, settle, state };
}

const big = (length: number) => createNotification('n', { text: 'x'.repeat(length) });
const code = (promise: void | Promise<void>) =>
  Promise.resolve(promise).then(
    () => 'sent',
    (error: TenonError) => error.code,
  );

describe('LineWriter', () => {
  it('writes one message per line, whatever it contains [stdio.no-embedded-newlines]', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), { minLength: 1, maxLength: 5 }),
        all => {
          const { writer, writes, turn } = drive();
          for (const params of all) void writer.send(createNotification('n', params));
          turn();
          const lines = writes.join('').split('\n');
          expect(lines.pop()).toBe('');
          expect(lines.map(line => JSON.parse(line).params)).toEqual(JSON.parse(JSON.stringify(all)));
        },
      ),
    );
  });

  it('joins the messages of a turn, and those that arrive during a write', () => {
    const { writer, writes, turn, settle } = drive();
    for (let count = 0; count < 3; count++) void writer.send(createNotification('a'));
    turn();
    expect(writes).toHaveLength(1);
    void writer.send(createNotification('b'));
    void writer.send(createNotification('c'));
    turn();
    expect(writes).toHaveLength(1);
    settle();
    turn();
    expect(writes.map(text => text.split('\n').length - 1)).toEqual([3, 2]);
  });

  it('makes a sender wait while much is pending, and reports that', async () => {
    const pressure: boolean[] = [];
    const { writer, turn, settle } = drive({ onPressure: high => void pressure.push(high) });
    expect(writer.send(big(1000))).toBeUndefined();
    const waiting = writer.send(big(2 * 1024 * 1024));
    expect(waiting).toBeInstanceOf(Promise);
    turn();
    expect(pressure).toEqual([true]);
    settle();
    await waiting;
    expect(pressure).toEqual([true, false]);
  });

  it('refuses a message that would make the queue too long, and accepts one message of any length', async () => {
    const { writer, turn, settle } = drive({ maxBufferedSize: 5000 });
    expect(await code(writer.send(big(9000)))).toBe('sent');
    expect(await code(writer.send(big(1)))).toBe('stdio/queue-full');
    turn();
    settle();
    expect(await code(writer.send(big(1)))).toBe('sent');
  });

  it('sends a short error when there is no room for the response', async () => {
    const { writer, turn, writes } = drive({ maxBufferedSize: 5000 });
    void writer.send(big(4900));
    expect(await code(writer.send(createSuccess(7, { text: 'x'.repeat(200) })))).toBe('stdio/queue-full');
    turn();
    expect(JSON.parse(writes[0]!.split('\n')[1]!)).toMatchObject({ id: 7, error: { code: -32603 } });
  });

  it('rejects pending and later messages when the reader has closed', async () => {
    const failures: TenonError[] = [];
    const { writer, turn, settle } = drive({ onFailure: error => void failures.push(error) });
    const waiting = writer.send(big(2 * 1024 * 1024));
    turn();
    settle(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    expect(await code(waiting)).toBe('stdio/write-failed');
    expect(await code(writer.send(big(1)))).toBe('stdio/write-failed');
    expect(failures).toHaveLength(1);
    await writer.flush();
  });

  it('ends the stream after pending messages', async () => {
    const { writer, turn, settle, state } = drive();
    void writer.send(big(1));
    writer.end();
    writer.end();
    expect(state.ended).toBe(0);
    const flushed = writer.flush();
    turn();
    settle();
    await flushed;
    expect(state.ended).toBe(1);
    expect(await code(writer.send(big(1)))).toBe('connection/closed');
  });

  it('refuses values that are not JSON', async () => {
    const params: Record<string, unknown> = {};
    params.self = params;
    expect(await code(drive().writer.send(createNotification('n', params)))).toBe('stdio/not-serializable');
  });
});
