import { INTERNAL_ERROR, TenonError } from '@tenon/base';
import { createFailure, type JsonRpcMessage, type JsonRpcResponse, serializeMessage } from '../../jsonrpc/message.js';
import type { ByteSink } from './byte-streams.js';

export interface LineWriterOptions {
  readonly peer: string;
  /**
   * Maximum number of characters that wait to be written. A message beyond it is refused.
   * @default 64 Mi
   */
  readonly maxBufferedSize?: number | undefined;
  /** Called with true when the queue is nearly full, and with false when it has room again. */
  readonly onPressure?: ((high: boolean) => void) | undefined;
  /** Called once when the peer no longer reads. */
  readonly onFailure?: ((error: TenonError) => void) | undefined;
}

export interface LineWriter {
  /**
   * Sends a message. Returns a promise if the queue is full. It settles when there is room again, so awaiting it
   * applies back-pressure. Calls `onWritten` when the line is written, or the peer no longer reads.
   */
  send(message: JsonRpcMessage | readonly JsonRpcResponse[], onWritten?: () => void): void | Promise<void>;
  /** Resolves when all messages were written or cannot be written any more. */
  flush(): Promise<void>;
  /** Ends the stream after the waiting messages. */
  end(): void;
}

const MAX_BUFFERED_SIZE = 64 * 1024 * 1024;
const HIGH_WATER_MARK = 1024 * 1024;

interface RoomWaiter {
  resolve(): void;
  reject(error: TenonError): void;
}

/**
 * Creates a writer that sends each message as a line. The messages of one turn of the event loop share a write, and so
 * do those that arrive during a write.
 */
export function createLineWriter(sink: ByteSink, options: LineWriterOptions): LineWriter {
  const { peer, maxBufferedSize = MAX_BUFFERED_SIZE, onPressure, onFailure } = options;
  let queue: string[] = [];
  let queuedLength = 0;
  let isWriting = false;
  let ended = false;
  let writeError: TenonError | undefined;
  let waiters: RoomWaiter[] = [];
  let written: (() => void)[] = [];
  let flushWaiters: (() => void)[] = [];

  function send(message: JsonRpcMessage | readonly JsonRpcResponse[], onWritten?: () => void): void | Promise<void> {
    if (writeError) return createRejection(writeError);
    if (ended) return createRejection(new TenonError('connection/closed', 'the connection is closed', { peer }));
    let line: string;
    try {
      line = serializeMessage(message, { code: 'stdio/not-serializable', peer });
    } catch (error) {
      return createRejection(TenonError.from(error));
    }
    if (queuedLength > 0 && queuedLength + line.length > maxBufferedSize) return rejectOverflow(message);
    if (onWritten) written.push(onWritten);
    return enqueue(line);
  }

  /** Replaces a response that does not fit by a short error, because its caller waits. */
  function rejectOverflow(message: JsonRpcMessage | readonly JsonRpcResponse[]): Promise<void> {
    if ('result' in message) {
      const errorMessage = 'The answer was dropped: too much waits to be read';
      void enqueue(JSON.stringify(createFailure(message.id, { code: INTERNAL_ERROR, message: errorMessage })));
    }
    const error = new TenonError('stdio/queue-full', 'the send queue is full because the peer does not read', {
      peer,
      expected: `at most ${maxBufferedSize} characters in the queue`,
      hint: 'await each send before the next, or raise `maxBufferedSize`, which needs more memory',
    });
    return createRejection(error);
  }

  function enqueue(line: string): void | Promise<void> {
    queue.push(line);
    queuedLength += line.length;
    if (!isWriting) {
      isWriting = true;
      sink.schedule(write);
    }
    return queuedLength > HIGH_WATER_MARK ? waitForRoom() : undefined;
  }

  function waitForRoom(): Promise<void> {
    onPressure?.(true);
    const room = new Promise<void>((resolve, reject) => waiters.push({ resolve, reject }));
    // A caller that does not await the promise must not cause an unhandled rejection.
    room.catch(() => {});
    return room;
  }

  function write(): void {
    const lines = queue;
    const size = queuedLength;
    const callbacks = written;
    queue = [];
    written = [];
    sink.write(`${lines.join('\n')}\n`, error => {
      if (error) fail(error);
      else handleWritten(size);
      for (const call of callbacks) call();
    });
  }

  function handleWritten(size: number): void {
    if (writeError) return;
    queuedLength -= size;
    if (queue.length > 0) sink.schedule(write);
    else handleIdle();
    if (queuedLength > HIGH_WATER_MARK || waiters.length === 0) return;
    const settled = waiters;
    waiters = [];
    onPressure?.(false);
    for (const { resolve } of settled) resolve();
  }

  function handleIdle(): void {
    isWriting = false;
    const settled = flushWaiters;
    flushWaiters = [];
    for (const resolve of settled) resolve();
    if (ended) sink.end();
  }

  function fail(cause: unknown): void {
    if (writeError) return;
    writeError = new TenonError('stdio/write-failed', 'cannot write to the pipe of the peer', { peer, cause });
    queue = [];
    queuedLength = 0;
    const rejecting = waiters;
    const callbacks = written;
    waiters = [];
    written = [];
    handleIdle();
    for (const call of callbacks) call();
    for (const { reject } of rejecting) reject(writeError);
    onFailure?.(writeError);
  }

  return {
    send,
    flush: () => (isWriting ? new Promise(resolve => flushWaiters.push(resolve)) : Promise.resolve()),
    end() {
      if (ended) return;
      ended = true;
      if (!isWriting) sink.end();
    },
  };
}

function createRejection(error: TenonError): Promise<void> {
  const promise = Promise.reject(error);
  promise.catch(() => {});
  return promise;
}
