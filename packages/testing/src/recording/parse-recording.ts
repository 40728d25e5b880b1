import {
  checkArray,
  checkEither,
  checkObject,
  checkString,
  isObject,
  type JsonObject,
  requireArgument,
  TenonError,
} from '@tenon/base';
import { diagnoseMessage, isId, isMessage, parseJson } from 'tenon/testing-internals';
import type { MessageFault } from '../faults.js';
import {
  LIFECYCLE,
  RECORDING_FORMAT,
  type RecordedDirection,
  type RecordedMessage,
  type RecordedRequest,
  type Recording,
} from './recording.js';

/** Checks a recording: its text, or the parsed form. */
export const checkRecording = checkEither(checkString, checkObject({ servers: checkArray(checkString) }));

/** Maximum length of a recording that is read, in characters. */
const MAX_RECORDING = 256 * 1024 * 1024;
/** Maximum depth of a message. */
const MAX_DEPTH = 200;

const EXPECTED = 'lines of JSON-RPC messages with `_meta: { dir, server, ts }`';

/**
 * Parses a recording: one JSON-RPC message per line, with `_meta { dir, server, ts }`. Recordings of `tenon record` and
 * of mcporter have this form. An incomplete last line is dropped.
 *
 * @throws TenonError `recording/invalid` with the number of the line, `recording/empty`, or `recording/too-large`.
 */
export function parseRecording(text: string): Recording {
  requireArgument('`text` of parseRecording', text, checkString);
  if (text.length > MAX_RECORDING) {
    throw new TenonError('recording/too-large', 'the recording is too large', {
      expected: `at most ${MAX_RECORDING} characters`,
      received: `${text.length}`,
    });
  }
  const reader = new RecordingReader();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== '') reader.read(line, index + 1, index === lines.length - 1);
  }
  return reader.finish();
}

/** Tells if a line is the beginning of a recording. Commands use it to recognize recordings. */
export function isRecordingLine(line: string): boolean {
  try {
    return readMeta(parseJson(line)) !== undefined;
  } catch {
    return false;
  }
}

class RecordingReader {
  readonly #messages: RecordedMessage[] = [];
  /**
   * Numbers of the open sessions, by server, number in the file and run. Several runs may have written into the file, and each
   * begins with 1. Files of mcporter have no numbers.
   */
  readonly #sessions = new Map<string, number>();
  /** Number of sessions of each server. */
  readonly #counts = new Map<string, number>();
  #isTruncated = false;

  read(text: string, line: number, isLast: boolean): void {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch {
      // The process that wrote the file may have ended in the middle of a line.
      if (!isLast) throw createLineError(line, 'not JSON');
      this.#isTruncated = true;
      return;
    }
    const meta = readMeta(value);
    if (meta === undefined || !isObject(value))
      throw createLineError(line, '`_meta.dir` is none of send, recv and lifecycle');
    if (isTooDeep(value, MAX_DEPTH)) throw createLineError(line, `nested deeper than ${MAX_DEPTH}`);
    const { _meta: _, ...message } = value;
    const { server, ts, session, run, relatedTo, hop, stateDigest } = meta;
    const cause = this.#readCause(meta.cause, run);
    const fault = readFault(meta.fault);
    const name = typeof server === 'string' ? server : '';
    const key = JSON.stringify([name, session, run]);
    if (meta.dir === 'lifecycle') return this.#readLifecycle(message, name, key, line);
    if (!isMessage(message)) throw createLineError(line, diagnoseMessage(message).reason);
    this.#messages.push({
      line,
      dir: meta.dir,
      server: name,
      ts: typeof ts === 'string' ? ts : '',
      session: this.#sessions.get(key) ?? readNumber(session),
      ...(isId(relatedTo) ? { relatedTo } : {}),
      ...(fault === undefined ? {} : { fault }),
      ...(hop === 'caller' || hop === 'upstream' ? { hop } : {}),
      ...(cause === undefined ? {} : { cause }),
      ...(typeof stateDigest === 'string' ? { stateDigest } : {}),
      message,
    });
  }

  finish(): Recording {
    if (this.#messages.length === 0) {
      throw new TenonError('recording/empty', 'the recording has no messages', { expected: EXPECTED });
    }
    const servers = [...new Set(this.#messages.map(({ server }) => server))];
    return { messages: this.#messages, servers, isTruncated: this.#isTruncated };
  }

  #readCause(value: unknown, run: unknown): RecordedRequest | undefined {
    if (!isObject(value)) return undefined;
    const { dir, server, session, id } = value;
    if ((dir !== 'send' && dir !== 'recv') || typeof server !== 'string' || !isId(id)) return undefined;
    const number = this.#sessions.get(JSON.stringify([server, session, run])) ?? readNumber(session);
    return { dir, server, session: number, id };
  }

  #readLifecycle({ method, params }: JsonObject, server: string, key: string, line: number): void {
    if (method === LIFECYCLE.start) {
      if (isObject(params) && Number(params.format) > RECORDING_FORMAT)
        throw createLineError(line, `format ${Number(params.format)}, which this release cannot read`);
      const count = (this.#counts.get(server) ?? 0) + 1;
      this.#counts.set(server, count);
      this.#sessions.set(key, count);
    }
    if (method === LIFECYCLE.limit) this.#isTruncated = true;
  }
}

interface LineMeta extends JsonObject {
  readonly dir: RecordedDirection | 'lifecycle';
}

/** Reads the number of a connection. Files of mcporter have none. */
const readNumber = (session: unknown): number =>
  typeof session === 'number' && Number.isSafeInteger(session) ? session : 1;

function readMeta(value: unknown): LineMeta | undefined {
  if (!isObject(value) || !isObject(value._meta)) return undefined;
  const { dir } = value._meta;
  return dir === 'send' || dir === 'recv' || dir === 'lifecycle' ? { ...value._meta, dir } : undefined;
}

/** Reads the fault of a message. Unknown faults, which a later release may have, are dropped. */
function readFault(value: unknown): MessageFault | undefined {
  if (!isObject(value)) return undefined;
  const { kind, ms } = value;
  switch (kind) {
    case 'drop':
    case 'duplicate':
    case 'malformed':
    case 'cut':
      return { kind };
    case 'delay':
      return typeof ms === 'number' ? { kind, ms } : undefined;
    case 'replace':
      return { kind, value: value.value };
    default:
      return undefined;
  }
}

function isTooDeep(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some(each => isTooDeep(each, left - 1));
}

function createLineError(line: number, summary: string): TenonError {
  return new TenonError('recording/invalid', `line ${line} of the recording: ${summary}`, { expected: EXPECTED });
}

/**
 * Returns the part of a recording that belongs to one server.
 *
 * @throws TenonError `recording/server` when the server is not in the recording, or when there are several.
 */
export function selectServer(recording: Recording, server?: string): Recording {
  const { servers, messages } = recording;
  if (server === undefined && servers.length === 1) return recording;
  if (server === undefined || !servers.includes(server)) {
    throw new TenonError(
      'recording/server',
      server === undefined ? 'the recording has several servers' : 'the server is not in the recording',
      { expected: `one of ${servers.join(', ')}`, received: server },
    );
  }
  return { ...recording, servers: [server], messages: messages.filter(each => each.server === server) };
}
