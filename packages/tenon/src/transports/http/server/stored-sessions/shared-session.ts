import type { Id } from '../../../../jsonrpc/message.js';
import type { AuthInfo } from '../../../../jsonrpc/transport.js';
import type { SessionChange } from '../../../../protocol/request-handler.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { Exchange } from '../exchange.js';

/** Result of opening or resuming a stream. */
export type ListenResult = 'listening' | 'taken' | 'full' | 'unknown';

/** The stream that answers a POST of a shared session. */
export interface SharedAnswer {
  send(text: string, answered?: Id | null): Promise<void>;
  finish(): Promise<void>;
  stop(): Promise<void>;
  endConnection(): void;
  detach(connection: EventStream): void;
}

/** The part of a session that all processes share. Absent where a session belongs to one process. */
export interface SharedSession {
  readonly requestIdPrefix: string;
  /** True while the client listens at this process. */
  readonly isListening: boolean;
  /** True once the session was deleted, here or by another process. */
  readonly isDeleted: boolean;
  /** Takes note of a change, which is written with the next response. */
  onStateChange(change: SessionChange): void;
  /** Writes what has changed. `undefined` if nothing has. */
  save(): Promise<void> | undefined;
  /** Passes a message of the client on that another process waits for. `undefined` if this one does. */
  forward(message: unknown, auth: AuthInfo | undefined): Promise<void> | undefined;
  /** Stores a message that belongs to no request, for the stream on which the client listens. */
  sendUnrelated(text: string): Promise<void>;
  beginAnswer(connection: EventStream, requests: readonly Id[]): SharedAnswer;
  listen(exchange: Exchange, auth: AuthInfo | undefined): Promise<ListenResult>;
  resume(exchange: Exchange, eventId: string, auth: AuthInfo | undefined): Promise<ListenResult>;
  stopListening(): void;
  /** Extends the time of the session, now and then. */
  extendTime(): void;
  /** Ends the session in this process, because it is no longer in the store. */
  endDeleted(): void;
  /** Deletes the session, so that it ends for all processes. */
  delete(): Promise<void>;
  /** Lets go of the session, which goes on at other processes. */
  detach(): Promise<void>;
}
