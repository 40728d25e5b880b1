import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { TenonError } from '../../jsonrpc/error.js';
import { textOf } from '../../jsonrpc/lasting.js';
import { failure, type Message, type Response } from '../../jsonrpc/message.js';
import type { ByteSink } from './bytes.js';

export interface WriterOptions {
  readonly peer: string;
  /** How much may wait to be written, in characters, before a message is refused. Default 64 Mi. */
  readonly maxQueued?: number | undefined;
  /** Told when so much waits that no more should be produced, and when that is over. */
  readonly pressure?: ((high: boolean) => void) | undefined;
  /** Told once, when the other side no longer reads. */
  readonly failed?: ((error: TenonError) => void) | undefined;
}

export interface LineWriter {
  /** Returns nothing while there is room. Else settles when there is room again: that is the back-pressure. */
  send(message: Message | readonly Response[]): void | Promise<void>;
  /** Settles when all that was sent has been taken, or never will be. */
  flushed(): Promise<void>;
  /** Ends the stream after what waits. */
  end(): void;
}

const MAX_QUEUED = 64 * 1024 * 1024;
const HIGH = 1024 * 1024;

interface Waiter {
  resolve(): void;
  reject(error: TenonError): void;
}

/** Writes messages as lines. All that are sent in one turn, and all that come while a write is under way, share a write. */
export function createLineWriter(sink: ByteSink, options: WriterOptions): LineWriter {
  const { peer, maxQueued = MAX_QUEUED, pressure, failed } = options;
  let queue: string[] = [];
  let queued = 0;
  let busy = false;
  let ended = false;
  let broken: TenonError | undefined;
  let waiting: Waiter[] = [];
  let flushing: (() => void)[] = [];

  function send(message: Message | readonly Response[]): void | Promise<void> {
    const refused = broken ?? (ended ? closed(peer) : undefined);
    if (refused) return rejected(refused);
    let line: string;
    try {
      line = textOf(message);
    } catch (cause) {
      return rejected(
        new TenonError('stdio/not-serializable', 'a message can not be written as JSON', { peer, cause }),
      );
    }
    if (queued > 0 && queued + line.length > maxQueued) return overflow(message);
    return enqueue(line);
  }

  /** Who waits for an answer that there is no room for still gets one: a short one. */
  function overflow(message: Message | readonly Response[]): Promise<void> {
    if ('result' in message) {
      const words = 'The answer was dropped: too much waits to be read';
      void enqueue(JSON.stringify(failure(message.id, { code: INTERNAL_ERROR, message: words })));
    }
    return rejected(full(peer, maxQueued));
  }

  function enqueue(line: string): void | Promise<void> {
    queue.push(line);
    queued += line.length;
    if (!busy) {
      busy = true;
      sink.soon(write);
    }
    return queued > HIGH ? roomAgain() : undefined;
  }

  function roomAgain(): Promise<void> {
    pressure?.(true);
    const room = new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
    // Who does not wait is not punished with an unhandled rejection.
    room.catch(() => {});
    return room;
  }

  function write(): void {
    const lines = queue;
    const size = queued;
    queue = [];
    const text = lines.length === 1 ? `${lines[0]}\n` : `${lines.join('\n')}\n`;
    sink.write(text, error => (error ? fail(error) : wrote(size)));
  }

  function wrote(size: number): void {
    if (broken) return;
    queued -= size;
    if (queue.length > 0) sink.soon(write);
    else rest();
    if (queued > HIGH || waiting.length === 0) return;
    const settled = waiting;
    waiting = [];
    pressure?.(false);
    for (const { resolve } of settled) resolve();
  }

  function rest(): void {
    busy = false;
    const settled = flushing;
    flushing = [];
    for (const resolve of settled) resolve();
    if (ended) sink.end();
  }

  function fail(cause: unknown): void {
    if (broken) return;
    broken = new TenonError('stdio/write-failed', 'no longer reads what it is sent', { peer, cause });
    queue = [];
    queued = 0;
    const rejecting = waiting;
    waiting = [];
    rest();
    for (const { reject } of rejecting) reject(broken);
    failed?.(broken);
  }

  return {
    send,
    flushed: () => (busy ? new Promise(resolve => flushing.push(resolve)) : Promise.resolve()),
    end() {
      if (ended) return;
      ended = true;
      if (!busy) sink.end();
    },
  };
}

function rejected(error: TenonError): Promise<void> {
  const promise = Promise.reject(error);
  promise.catch(() => {});
  return promise;
}

function closed(peer: string): TenonError {
  return new TenonError('connection/closed', 'the connection is closed', { peer });
}

function full(peer: string, limit: number): TenonError {
  return new TenonError('stdio/queue-full', 'does not read what it is sent', {
    peer,
    expected: `at most ${limit} characters waiting`,
    next: 'await each send before the next, or raise maxQueued: memory is the price',
  });
}
