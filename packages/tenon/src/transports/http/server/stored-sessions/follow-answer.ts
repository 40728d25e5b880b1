import type { AuthInfo } from '../../../../jsonrpc/transport.js';
import { toTypedValues } from '../../../../stores/typed-values.js';
import { encodeEvent, KEEP_ALIVE } from '../../sse/encode-event.js';
import type { Exchange } from '../exchange.js';
import type { HttpSession } from '../sessions/session.js';
import { encodeEventId, type StoredEventId } from './event-id.js';
import { type LogEntry, toLogKey } from './event-log.js';
import { endOrphanedStream } from './orphaned-stream.js';
import type { ListenResult } from './shared-session.js';
import type { StoredSessionContext } from './stored-session.js';
import { StreamFollower } from './stream-follower.js';

/** Interval of checks of a stream whose client waits for a response, in milliseconds. */
const ANSWER_POLL = 1000;

interface FollowAnswerOptions {
  readonly id: StoredEventId;
  /** Prefix of the keys of the log. */
  readonly prefix: string;
  /** Notifies the process that writes the stream that its connection was replaced. */
  readonly onStarted: () => Promise<void>;
}

/** Continues the stream of a POST on another connection. Its writer may be another process, or may have stopped. */
export async function followAnswer(
  { stores, replica }: StoredSessionContext,
  session: HttpSession,
  exchange: Exchange,
  auth: AuthInfo | undefined,
  { id, prefix, onStarted }: FollowAnswerOptions,
): Promise<ListenResult> {
  const values = toTypedValues<LogEntry>(stores.values);
  if (!(await isLogPosition(values, prefix, id))) return 'unknown';
  const { clock, limits, report, inFlight } = session.context;
  let follower: StreamFollower | undefined;
  let stopWaiting = (): void => {};
  const connection = session.beginStream(exchange, {
    auth: session.getExpiringAuth(auth),
    onClosed: () => {
      stopWaiting();
      follower?.stop();
    },
  });
  if (connection === undefined) return 'full';
  follower = new StreamFollower({
    stores,
    clock,
    prefix,
    connection,
    position: id,
    encode: (position, text) =>
      encodeEvent(text, session.dialect?.http.sessions ? encodeEventId(id.log, position) : undefined),
    pollInterval: ANSWER_POLL,
    onPoll: () => endOrphanedStream(stores, replica, { prefix, ttl: limits.sessionIdleTimeout }),
    report,
  });
  connection.write(KEEP_ALIVE);
  follower.start();
  // The writer of the stream may run elsewhere, so the client can follow it at another process.
  stopWaiting = inFlight.onClosing(() => connection.end());
  await onStarted().catch(report);
  return 'listening';
}

/** Tells if all events after a position still exist. */
export async function isLogPosition(
  values: ReturnType<typeof toTypedValues<LogEntry>>,
  prefix: string,
  { log, entry, events, tag }: StoredEventId,
): Promise<boolean> {
  const [named, next] = await values.list(prefix, {
    limit: 2,
    ...(entry === 0 ? {} : { after: toLogKey(prefix, entry - 1) }),
  });
  if (named?.key !== toLogKey(prefix, entry) || named.value.log !== log || named.value.tag !== tag) return false;
  return events <= named.value.events.length && (next === undefined || next.key === toLogKey(prefix, entry + 1));
}
