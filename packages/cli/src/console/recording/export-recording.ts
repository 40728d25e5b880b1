import { isObject, parseJsonText, systemClock } from '@tenon/base';
import type { RecordingExport, RecordingSelection, WireRow } from '@tenon/console/api';
import { createRecorder, type Recorder, type SessionRecorder } from '@tenon/testing';
import { type JsonRpcMessage, TenonError } from 'tenon';
import type { StoredMessage, WireLog } from '../wire-log.js';

/** Messages that open a connection. Without them, a recording cannot be replayed. */
const OPENING = new Set(['initialize', 'notifications/initialized', 'server/discover']);
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
    else writer.write(message, message.body);
  }
  const text = writer.finish();
  if (text !== '') return { name: createFileName(stored), text, missing };
  throw new TenonError('console/unknown', 'no message of the selection is in memory', { hint: 'call again' });
}

/** Returns the stored messages of a selection, in their order. */
export function selectMessages(log: WireLog, { calls, messages }: RecordingSelection): readonly StoredMessage[] {
  const all = log.list();
  if (!calls && !messages) return all;
  const wanted = new Set(messages);
  const isWanted = ({ seq, call, request }: WireRow) =>
    wanted.has(seq) ||
    (call !== undefined && calls?.includes(call) === true) ||
    (request !== undefined && wanted.has(request));
  const requests = new Set(all.filter(({ row }) => isWanted(row)).map(({ row }) => row.request));
  const isChosen = (row: WireRow) => isWanted(row) || requests.has(row.seq);
  const connections = new Set(all.filter(({ row }) => isChosen(row)).map(({ connection }) => connection));
  return all.filter(({ row, connection }) => isChosen(row) || (connections.has(connection) && OPENING.has(row.method)));
}

/** Writes messages with the times at which they crossed. */
function createWriter() {
  const lines: string[] = [];
  let time = 0;
  const clock = { ...systemClock, now: () => time };
  const recorders = new Map<string, Recorder>();
  const sessions = new Map<number, SessionRecorder>();
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
      const session = sessions.get(stored.connection) ?? openSession(stored);
      const message: unknown = parseJsonText(body);
      if (isMessage(message)) session.record(stored.row.from === 'client' ? 'send' : 'recv', message, stored.relatedTo);
    },
    finish(): string {
      for (const session of sessions.values()) session.close();
      return lines.join('');
    },
  };
}

const isMessage = (value: unknown): value is JsonRpcMessage => isObject(value) && value.jsonrpc === '2.0';

/** Names a file by its servers and its first time. */
function createFileName(stored: readonly StoredMessage[]): string {
  const servers = [...new Set(stored.map(({ row }) => row.server))].slice(0, MAX_SERVERS);
  const time = new Date(stored[0]?.row.time ?? 0).toISOString().slice(0, 19).replaceAll(':', '-');
  return `${[...servers, time].join('-').replace(/[^\w.-]/g, '')}.ndjson`;
}
