import { type AuthInfo, toTypedValues } from '@tenon/base';
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
/** Number of checks after which the writer of the stream is asked again if it still writes it. */
const POLLS_PER_ANNOUNCEMENT = 10;

interface FollowAnswerOptions {
  readonly id: StoredEventId;
  /** Prefix of the keys of the log. */
  readonly prefix: string;
  /** Closes the former connection of the stream at this process. Returns false if this process does not write it. */
  readonly release: (log: string) => boolean;
}

/** Continues the stream of a POST on another connection. Its writer may be another process, or may have stopped. */
export async function followAnswer(
  { stores, replica }: StoredSessionContext,
  session: HttpSession,
  exchange: Exchange,
  auth: AuthInfo | undefined,
  { id, prefix, release }: FollowAnswerOptions,
): Promise<ListenResult> {
  const values = toTypedValues<LogEntry>(stores.values);
  const entry = await findPosition(values, prefix, id);
  if (entry === undefined) return 'unknown';
  const { clock, limits, report, inFlight } = session.context;
  // The writer of the stream closes the former connection. It ends a stream that it no longer writes.
  const announce = () => replica.announceResumption(session.id, id.log, entry.writer);
  let polls = 0;
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
    async onPoll() {
      polls += 1;
      await endOrphanedStream(stores, replica, { prefix, ttl: limits.sessionIdleTimeout, isWriting: release });
      if (polls % POLLS_PER_ANNOUNCEMENT === 0) await announce();
    },
    report,
  });
  connection.write(KEEP_ALIVE);
  follower.start();
  // The writer of the stream may run elsewhere, so the client can follow it at another process.
  stopWaiting = inFlight.onClosing(() => connection.end());
  release(id.log);
  await announce().catch(report);
  return 'listening';
}

/** Returns the entry of a position. Returns `undefined` if it, or an event after it, no longer exists. */
export async function findPosition(
  values: ReturnType<typeof toTypedValues<LogEntry>>,
  prefix: string,
  { log, entry, events, tag }: StoredEventId,
): Promise<LogEntry | undefined> {
  const [named, next] = await values.list(prefix, {
    limit: 2,
    ...(entry === 0 ? {} : { after: toLogKey(prefix, entry - 1) }),
  });
  if (named?.key !== toLogKey(prefix, entry) || named.value.log !== log || named.value.tag !== tag) return undefined;
  const isWhole = next === undefined || next.key === toLogKey(prefix, entry + 1);
  return isWhole && events <= named.value.events.length ? named.value : undefined;
}
