import { type Clock, sleep } from '@tenon/base';
import type { Id, JsonRpcMessage, JsonRpcResponse } from '../jsonrpc/message.js';
import type { Transport } from '../jsonrpc/transport.js';

type Responses = JsonRpcResponse | readonly JsonRpcResponse[];

/** Sends messages, and keeps a gap between the progress of a request and its response. */
export interface ProgressGap extends Pick<Transport, 'send'> {
  /** Resolves when the responses that wait now are sent. */
  settle(): Promise<void>;
}

/** Time after which a client has read an earlier notification, in milliseconds. */
export const PROGRESS_GAP = 50;

/**
 * Creates the gap for the messages of a server on one stream. Official clients drop a progress notification that they
 * read in one chunk with the response to its request, so a response is sent when the gap has passed since the last
 * progress was written.
 *
 * @param write Sends a message. Calls `onWritten` when it is written, or rejects.
 */
export function createProgressGap(
  write: (message: JsonRpcMessage | Responses, onWritten?: () => void) => void | Promise<void>,
  clock: Clock,
): ProgressGap {
  /** Times at which the last progress of requests was written, the oldest first. Infinite until it is written. */
  const times = new Map<Id, number>();
  let settled: Promise<void> = Promise.resolve();

  /** Returns the time until responses may be sent, in milliseconds. */
  const getRest = (responses: Responses): number => {
    const last = [responses].flat().map(({ id }) => times.get(id ?? '') ?? Number.NEGATIVE_INFINITY);
    return Math.max(...last) + PROGRESS_GAP - clock.now();
  };

  const sendLater = async (responses: Responses): Promise<void> => {
    // The time of a write is known after it, and a timer may end early.
    while (getRest(responses) > 0) await sleep(clock, Math.min(getRest(responses), PROGRESS_GAP));
    await write(responses);
  };

  return {
    send(message, options) {
      const id = options?.relatedTo;
      if ('method' in message && message.method === 'notifications/progress' && id !== undefined) {
        times.delete(id);
        for (const [other, time] of times) {
          if (time + PROGRESS_GAP > clock.now()) break;
          times.delete(other);
        }
        const onWritten = (): unknown => times.set(id, clock.now());
        times.set(id, Number.POSITIVE_INFINITY);
        const sent = write(message, onWritten);
        sent?.catch(onWritten);
        return sent;
      }
      if ('method' in message || times.size === 0 || getRest(message) <= 0) return write(message);
      const later = sendLater(message);
      // Without a value: each result would contain all earlier ones.
      settled = Promise.allSettled([settled, later]).then(() => {});
      return later;
    },
    settle: () => settled,
  };
}
