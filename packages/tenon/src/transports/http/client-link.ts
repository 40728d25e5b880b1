import type { Receiver } from '../../jsonrpc/channel.js';
import type { Clock } from '../../jsonrpc/clock.js';
import type { TenonError } from '../../jsonrpc/error.js';
import { type Failure, type Id, isObject, kindOf } from '../../jsonrpc/message.js';
import { parseJson } from '../../jsonrpc/parse-json.js';
import type { Signal } from '../../jsonrpc/recall.js';
import { refusedError, unreadableError } from './client-errors.js';
import type { Leases } from './client-leases.js';
import type { ReconnectPolicy } from './client-options.js';
import type { Road } from './client-road.js';
import type { SilentStreams } from './client-silence.js';

/** What the exchanges of one channel share. */
export interface Link {
  readonly peer: string;
  readonly road: Road;
  readonly leases: Leases;
  readonly silent: SilentStreams;
  readonly receiver: Receiver;
  readonly clock: Clock;
  readonly random: () => number;
  readonly maxMessage: number;
  readonly resume: ReconnectPolicy;
  readonly listen: ReconnectPolicy;
  /** A secret: it goes to the server and nowhere else. [http.session.client-keeps-secure] */
  readonly session: string | undefined;
  learn(session: string): void;
  /** Aborted when the session that the channel has now is forgotten. */
  readonly sessionSignal: Signal;
  /** Called when the server has said that it no longer knows this session. */
  forget(session: string): void;
  /** The headers that say which session and revision a request is of. */
  headers(session: string | undefined, more: Record<string, string>): Record<string, string>;
}

/** What one exchange is to bring. */
export interface Question {
  /** Absent where nothing is asked. */
  readonly id: Id | undefined;
  answered: boolean;
  /** Something came that may have been the answer, and could not be read. */
  spoiled: TenonError | undefined;
  /** Set where the stream may be silent for long, and must not die unnoticed. */
  readonly watched: boolean;
}

export function question(id: Id | undefined, watched = false): Question {
  return { id, answered: false, spoiled: undefined, watched };
}

/** Hands on what one JSON text says, an array by its elements. [http.sse.batched-messages] */
export function deliverText(link: Link, question: Question, text: string): void {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    question.spoiled = unreadableError(link.peer, `${text.length} characters that are none`, cause);
    link.receiver.unreadable(question.spoiled);
    return;
  }
  deliver(link, question, value);
}

export function deliver(link: Link, question: Question, value: unknown): void {
  if (Array.isArray(value)) {
    for (const one of value) deliver1(link, question, one);
  } else deliver1(link, question, value);
}

function deliver1(link: Link, question: Question, value: unknown): void {
  if (isObject(value) && !('method' in value)) {
    if (question.id !== undefined && value.id === question.id) question.answered = true;
    else if (value.id == null && kindOf(value) === 'failure') {
      // The server could not tell which request it fails; of this exchange there is only one.
      question.spoiled = refusedError(link.peer, value as unknown as Failure, 200);
    }
  }
  if (question.id === undefined) link.receiver.message(value);
  else link.receiver.message(value, { relatedTo: question.id });
}
