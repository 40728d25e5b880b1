import { parseJsonText, systemClock } from '@tenon/base';
import type { RecordingExport, RecordingSelection, WireRow } from '@tenon/console/api';
import { createRecorder, type RecordedRequest, type Recorder, type SessionRecorder } from '@tenon/testing';
import { TenonError } from 'tenon';
import { isMessage } from '../connection-faults.js';
import { OPENING_METHODS, type StoredMessage, type WireLog } from '../wire-log.js';

/** Maximum number of servers in the name of a file. */
const MAX_SERVERS = 3;
/** Messages that are written before other work continues. */
const STEP = 2000;

/**
 * Writes messages of the console as a recording, in the form of `tenon record`. A selection also has the messages that
 * opened its connections, and both messages of each request.
 *
 * @throws TenonError `console/unknown` if no message is left.
 */
export async function exportRecording(log: WireLog, selection: RecordingSelection): Promise<RecordingExport> {
  const stored = selectMessages(log, selection);
  const writer = createWriter();
  let missing = 0;
  for (const [index, message] of stored.entries()) {
    if (index % STEP === STEP - 1) await new Promise(resolve => setImmediate(resolve));
    if (message.body === undefined) missing += 1;
    else writer.write(message, message.before ?? message.body);
  }
  const text = writer.finish();
  if (text !== '') return { name: createFileName(stored), text, missing };
  throw new TenonError('console/unknown', 'no message of the selection is in memory', { hint: 'call again' });
}

/** Returns the stored messages of a selection, in their order. */
export function selectMessages(log: WireLog, { calls, messages }: RecordingSelection): readonly StoredMessage[] {
  // Messages of an app are between it and the page, and no server replays them.
  const all = log.list().filter(({ row }) => row.hop !== 'app');
  if (!calls && !messages) return all;
  const wanted = new Set(messages);
  const isWanted = ({ seq, call, request }: WireRow) =>
    wanted.has(seq) ||
    (call !== undefined && calls?.includes(call) === true) ||
    (request !== undefined && wanted.has(request));
  const requests = new Set(all.filter(({ row }) => isWanted(row)).map(({ row }) => row.request));
  const isChosen = (row: WireRow) => isWanted(row) || requests.has(row.seq);
  const openings = new Set(
    splitConnections(all).flatMap(messages =>
      messages.some(({ row }) => isChosen(row) && !OPENING_METHODS.has(row.method))
        ? messages.map(each => each.row.seq)
        : [],
    ),
  );
  return all.filter(({ row }) => (OPENING_METHODS.has(row.method) ? openings.has(row.seq) : isChosen(row)));
}

/** Splits messages by connection, and each time at which the client has opened a connection again. */
function splitConnections(all: readonly StoredMessage[]): StoredMessage[][] {
  const parts: StoredMessage[][] = [];
  const current = new Map<number, StoredMessage[]>();
  for (const message of all) {
    const before = current.get(message.connection);
    const opensAgain = opens(message) && before?.some(({ row }) => !OPENING_METHODS.has(row.method)) === true;
    const part = before && !opensAgain ? before : [];
    if (part !== before) {
      parts.push(part);
      current.set(message.connection, part);
    }
    part.push(message);
  }
  return parts;
}

/** Tells if the client opens a connection. */
const opens = ({ row }: StoredMessage): boolean => OPENING_METHODS.has(row.method) && row.kind === 'request';

/** Tells if the client opens a connection with a session. Without sessions, `server/discover` may only ask if the server responds. */
const isHandshake = ({ row }: StoredMessage): boolean => row.method === 'initialize' && row.kind === 'request';

/** Writes messages with the times at which they crossed. */
function createWriter() {
  const lines: string[] = [];
  let time = 0;
  const clock = { ...systemClock, now: () => time };
  const recorders = new Map<string, Recorder>();
  const sessions = new Map<number, SessionRecorder>();
  /** Written requests by their `seq`. */
  const requests = new Map<number, RecordedRequest>();
  /** Connections that are open, and have other messages than those that opened them. */
  const used = new Set<number>();
  const openSession = ({ row: { server }, connection }: StoredMessage): SessionRecorder => {
    const recorder =
      recorders.get(server) ??
      createRecorder({ server, clock, maxSize: Number.POSITIVE_INFINITY, write: line => lines.push(line) });
    recorders.set(server, recorder);
    const session = recorder.openSession();
    sessions.set(connection, session);
    return session;
  };
  return {
    write(stored: StoredMessage, body: string): void {
      time = stored.row.time;
      const before = sessions.get(stored.connection);
      const opensAgain = isHandshake(stored) && used.has(stored.connection);
      if (opensAgain) before?.close();
      const session = before && !opensAgain ? before : openSession(stored);
      if (opensAgain) used.delete(stored.connection);
      if (!OPENING_METHODS.has(stored.row.method)) used.add(stored.connection);
      const message: unknown = parseJsonText(body);
      const dir = stored.row.from === 'client' ? 'send' : 'recv';
      const { row, relatedTo, fault, stateDigest } = stored;
      if (row.kind === 'request' && row.id !== undefined)
        requests.set(row.seq, { dir, server: row.server, session: session.number, id: row.id });
      const cause = row.cause === undefined ? undefined : requests.get(row.cause);
      // `selectMessages` leaves out the messages of apps.
      const hop = row.hop === 'app' ? undefined : row.hop;
      if (isMessage(message)) session.record(dir, message, { relatedTo, fault, hop, cause, stateDigest });
    },
    finish(): string {
      for (const session of sessions.values()) session.close();
      return lines.join('');
    },
  };
}

/** Names a file by its servers and its first time. */
function createFileName(stored: readonly StoredMessage[]): string {
  const servers = [...new Set(stored.map(({ row }) => row.server))].slice(0, MAX_SERVERS);
  const time = new Date(stored[0]?.row.time ?? 0).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${[...servers, time].join('-').replace(/[^\w.-]/g, '')}.ndjson`;
}
