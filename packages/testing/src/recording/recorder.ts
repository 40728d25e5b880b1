import {
  type Clock,
  checkFunction,
  checkOptional,
  checkRange,
  checkString,
  type JsonObject,
  type OptionChecks,
  requireOptions,
  systemClock,
} from '@tenon/base';
import { writeJson } from '@tenon/base/writers';
import { type JsonRpcMessage, version } from 'tenon';
import { isBatch, type MessageObserver } from 'tenon/testing-internals';
import type { MessageFault } from '../faults.js';
import { optionalClock, optionalFunction } from '../option-checks.js';
import { LIFECYCLE, RECORDING_FORMAT, type RecordedDirection, type RecordedLinks } from './recording.js';
import { redactFault, redactMessage } from './redact-message.js';
import { digestRequestState } from './state-digest.js';

/** Default maximum size of a recording, in characters: 100 Mi. */
const MAX_SIZE = 100 * 1024 * 1024;

/** Options of a recorder. */
export interface RecorderOptions {
  /** Name of the server in the recording. */
  readonly server: string;
  /**
   * Name of this run in `_meta`. It tells connections of processes apart that write into one recording at the same time.
   * @default none
   */
  readonly run?: string | undefined;
  /** Writes one line, which ends with a line break. Lines are written in the order of the messages. */
  readonly write: (line: string) => void;
  /**
   * Maximum size of the recording, in characters. Later messages are not recorded.
   * @default 104,857,600 (100 Mi)
   */
  readonly maxSize?: number | undefined;
  /**
   * Called once when the recording has its maximum size.
   * @default nothing is called
   */
  readonly onLimit?: (() => void) | undefined;
  /**
   * Source of the times in the recording.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Values of a message that are recorded beside it. */
export interface RecordDetails extends RecordedLinks {
  /**
   * Fault that was injected into the message.
   * @default none
   */
  readonly fault?: MessageFault | undefined;
}

/** Recording of one connection. */
export interface SessionRecorder {
  /** Number of the connection in the recording, from 1. */
  readonly number: number;
  /** Records a message with its details. Their secrets are removed. */
  record(dir: RecordedDirection, message: JsonRpcMessage, details?: RecordDetails): void;
  /** Records a message, as the option `onMessage` of `connect` reports it. */
  readonly onMessage: MessageObserver;
  /** Records the end of the connection. */
  close(): void;
}

/** Writes messages as a recording. */
export interface Recorder {
  /** Begins the recording of a connection. */
  openSession(): SessionRecorder;
}

/** Creates a recorder. It removes secrets before it writes a message. */
export function createRecorder(options: RecorderOptions): Recorder {
  const checks: OptionChecks<RecorderOptions> = {
    server: checkString,
    run: checkOptional(checkString),
    write: checkFunction,
    maxSize: checkOptional(checkRange('a number of characters, at least 1', 1)),
    onLimit: optionalFunction,
    clock: optionalClock,
  };
  requireOptions('createRecorder', options, checks, 'options/invalid');
  const { server, run, write, maxSize = MAX_SIZE, onLimit, clock = systemClock } = options;
  let size = 0;
  let hasEnded = false;
  let sessions = 0;

  const writeLine = (
    dir: RecordedDirection | 'lifecycle',
    session: number,
    message: JsonObject,
    { relatedTo, fault, hop, cause, stateDigest }: RecordDetails = {},
  ) => {
    const ts = new Date(clock.now()).toISOString();
    const _meta = {
      dir,
      server,
      ts,
      session,
      ...(run === undefined ? {} : { run }),
      ...(relatedTo === undefined ? {} : { relatedTo }),
      ...(fault === undefined ? {} : { fault: redactFault(fault) }),
      ...(hop === undefined ? {} : { hop }),
      ...(cause === undefined ? {} : { cause }),
      ...(stateDigest === undefined ? {} : { stateDigest }),
    };
    const line = `${writeJson({ ...message, _meta })}\n`;
    size += line.length;
    write(line);
  };

  const writeLifecycle = (session: number, method: string, params?: JsonObject) =>
    writeLine('lifecycle', session, { jsonrpc: '2.0', method, ...(params ? { params } : {}) });

  const record = (session: number, dir: RecordedDirection, message: JsonRpcMessage, details: RecordDetails = {}) => {
    if (hasEnded) return;
    if (size >= maxSize) {
      hasEnded = true;
      writeLifecycle(session, LIFECYCLE.limit, { maxSize });
      onLimit?.();
      return;
    }
    const stateDigest = details.stateDigest ?? digestRequestState(message);
    writeLine(dir, session, { ...redactMessage(message) }, { ...details, stateDigest });
  };

  return {
    openSession() {
      const session = ++sessions;
      if (!hasEnded) {
        writeLifecycle(session, LIFECYCLE.start, { recorder: `tenon ${version}`, format: RECORDING_FORMAT });
      }
      return {
        number: session,
        record: (dir, message, details) => record(session, dir, message, details),
        onMessage(from, message, relatedTo) {
          const messages = isBatch(message) ? message : [message];
          for (const each of messages) record(session, from === 'client' ? 'send' : 'recv', each, { relatedTo });
        },
        close() {
          if (!hasEnded) writeLifecycle(session, LIFECYCLE.close);
        },
      };
    },
  };
}
