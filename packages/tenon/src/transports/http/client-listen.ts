import { TenonError } from '../../jsonrpc/error.js';
import { type Course, noteFailure, setOut } from './client-backoff.js';
import type { Lease } from './client-leases.js';
import { type Link, question } from './client-link.js';
import { drain, isEventStream, isSuccess } from './client-road.js';
import { openStream, type Reconnected, readStream, reconnect, refuseStream } from './client-stream.js';

/**
 * Keeps the standalone stream open, on which a server speaks unasked. A server that has none says so with a status, or
 * with anything that is no stream, and that is the end of it. [http.get.stream-optional] [http.get.sse-or-405]
 * Resolves with an error when there was a stream, or may have been, and it could not be had again.
 */
export async function listenTo(link: Link, lease: Lease): Promise<TenonError | undefined> {
  const { session } = link;
  const course = setOut(link.clock.now());
  const again = () => reconnect(link, { course, policy: link.listen, signal: lease, session, hold: false });
  try {
    let next = await firstStream(link, course, session, lease);
    while (next && !lease.aborted) {
      if (!('reply' in next)) return lostListening(link, next);
      await readStream(link, next.reply, course, question(undefined, true), lease);
      if (!lease.aborted) next = await again();
    }
    return undefined;
  } finally {
    lease.end();
  }

  async function firstStream(...to: Parameters<typeof openStream>): Promise<Reconnected | undefined> {
    try {
      const reply = await openStream(...to);
      if (isEventStream(reply)) return { reply };
      // A server without this stream may answer 404: of the session it tells only what it says in words.
      if (isSuccess(reply) || reply.status === 405) await drain(reply);
      else await refuseStream(link, reply, session, true);
      return undefined;
    } catch (error) {
      if (lease.aborted || !isPassing(error)) return undefined;
      noteFailure(course as Course);
      return again();
    }
  }
}

function isPassing(error: unknown): boolean {
  return TenonError.is(error) && (error.code === 'http/unreachable' || error.code === 'http/interrupted');
}

function lostListening(link: Link, { over, error }: Extract<Reconnected, { over: string }>): TenonError | undefined {
  if (over !== 'exhausted') return undefined;
  return new TenonError('http/listen-ended', 'the stream for what the server says unasked is lost', {
    peer: link.peer,
    got: error.message,
    next: 'calls still work; changes are not announced until you listen again',
  });
}
