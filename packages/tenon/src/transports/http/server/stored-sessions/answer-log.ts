import { createUnknownOutcomeObject, SERVER_STOPPED } from '@tenon/base';
import { createFailure, type Id } from '../../../../jsonrpc/message.js';
import { encodeEvent } from '../../sse/encode-event.js';
import type { EventStream } from '../../sse/event-streams.js';
import { encodeEventId } from './event-id.js';
import type { AppendResult, EventLog } from './event-log.js';
import { createStoredId } from './stored-id.js';

/** First letter of the names of logs for POST responses. Logs for standalone streams begin with another letter. */
export const ANSWER_LOG = 'p';

/** Error response to a request whose process has stopped. */
export const SERVER_STOPPED_ERROR = createUnknownOutcomeObject('The response was lost', SERVER_STOPPED);

export interface AnswerLogOptions {
  /** IDs of the requests that the stream responds to. */
  readonly requests: readonly Id[];
  /** Creates the log of this name. */
  readonly createLog: (name: string) => EventLog;
  readonly connection: EventStream;
  /** True on protocol versions with event IDs. */
  readonly hasEventIds: boolean;
  /** Encodes the event with only an ID. Undefined on protocol versions without such an event. */
  readonly encodePriming: ((id: string) => string) | undefined;
  /** Notifies the followers of the log. */
  readonly publish: (name: string) => void;
  /** Called when another process has ended the stream, or when the store has failed for too long. */
  readonly onLost: (unanswered: readonly Id[], error?: unknown) => void;
  readonly onEnd: (name: string) => void;
}

/** The response stream of a POST. Each event is stored first and then written to the connection. */
export class AnswerLog {
  readonly name = `${ANSWER_LOG}${createStoredId()}`;
  readonly #options: AnswerLogOptions;
  readonly #log: EventLog;
  readonly #unanswered: Set<Id>;
  #connection: EventStream | undefined;
  #pending: string[] = [];
  #isStarted = false;
  #isFinishing = false;
  #isOver = false;
  #writing: Promise<void> | undefined;

  constructor(options: AnswerLogOptions) {
    this.#options = options;
    this.#connection = options.connection;
    this.#unanswered = new Set(options.requests);
    this.#log = options.createLog(this.name);
    void this.#schedule();
  }

  /** Sends an event. Resolves when the event is stored and the connection has room for more. */
  send(text: string, answered?: Id | null): Promise<void> {
    if (answered !== undefined && answered !== null) this.#unanswered.delete(answered);
    if (!this.#isFinishing) this.#pending.push(text);
    return this.#schedule();
  }

  /** Ends the stream after the events that were sent. */
  finish(): Promise<void> {
    this.#isFinishing = true;
    return this.#schedule();
  }

  /** Ends the stream with an error response for each open request. */
  stop(): Promise<void> {
    for (const id of this.#unanswered) this.#pending.push(JSON.stringify(createFailure(id, SERVER_STOPPED_ERROR)));
    return this.finish();
  }

  /** Closes the connection. The client resumes the stream, at this process or at another one. */
  endConnection(): void {
    const end = () => {
      const connection = this.#connection;
      this.#connection = undefined;
      connection?.end();
    };
    void (this.#writing ?? Promise.resolve()).then(end, end);
  }

  detach(connection: EventStream): void {
    if (this.#connection === connection) this.#connection = undefined;
  }

  #schedule(): Promise<void> {
    // Events that are sent in the same turn are stored together.
    this.#writing ??= Promise.resolve().then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    try {
      while (!this.#isOver && (this.#pending.length > 0 || this.#isFinishing || !this.#isStarted)) {
        const events = this.#pending.splice(0);
        const isEnd = this.#isFinishing;
        try {
          const rest = { ...(this.#isStarted ? {} : { requests: this.#options.requests }), ...(isEnd && { isEnd }) };
          const appended = await this.#log.append(events, () => this.name, rest);
          if (appended === undefined) return this.#abandon();
          await this.#deliver(appended, events);
        } catch (error) {
          return this.#abandon(error);
        }
        if (isEnd) this.#end();
      }
    } finally {
      // In the same turn as the last look at the events, so that none is left behind.
      this.#writing = undefined;
    }
  }

  async #deliver({ entry, tag }: AppendResult, events: readonly string[]): Promise<void> {
    const { hasEventIds, encodePriming, publish } = this.#options;
    const connection = this.#connection;
    if (!this.#isStarted && encodePriming)
      await connection?.write(encodePriming(encodeEventId(this.name, { entry, events: 0, tag })));
    this.#isStarted = true;
    for (const [index, text] of events.entries()) {
      const id = hasEventIds ? encodeEventId(this.name, { entry, events: index + 1, tag }) : undefined;
      await connection?.write(encodeEvent(text, id));
    }
    if (connection?.open !== true) publish(this.name);
  }

  #abandon(error?: unknown): void {
    this.#isOver = true;
    this.#connection?.destroy();
    this.#options.onEnd(this.name);
    this.#options.onLost([...this.#unanswered], error);
  }

  #end(): void {
    this.#isOver = true;
    this.#connection?.end();
    this.#options.onEnd(this.name);
  }
}
