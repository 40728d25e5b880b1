import type { AuthInfo, MaybePromise } from '@tenon/base';
import type { Id, JsonRpcMessage } from '../../../../jsonrpc/message.js';
import type { SendOptions } from '../../../../jsonrpc/transport.js';
import type { SessionChange } from '../../../../protocol/request-handler.js';
import type { EventStream } from '../../sse/event-streams.js';
import type { Exchange } from '../exchange.js';

/** Result of opening or resuming a stream. */
export type ListenResult = 'listening' | 'full' | 'unknown';

/** The response stream of a POST in a shared session. */
export interface SharedAnswer {
  send(text: string, answered?: Id | null): Promise<void>;
  finish(): Promise<void>;
  stop(): Promise<void>;
  endConnection(): void;
  detach(connection: EventStream): void;
}

/** The part of a session that all processes share. Absent if the session belongs to one process. */
export interface SharedSession {
  readonly requestIdPrefix: string;
  /** True while the client has its standalone stream at this process. */
  readonly isListening: boolean;
  /** True once the session was deleted, here or by another process. */
  readonly isDeleted: boolean;
  /** True while changes are being stored, and responses wait for them. */
  readonly isSaving: boolean;
  /** Records a change, which is stored before the next response. */
  onStateChange(change: SessionChange): void;
  /** Stores the changes. Returns `undefined` if there are none. */
  save(): Promise<void> | undefined;
  /**
   * Passes a message of the client to the process that waits for it. Returns `undefined` if the message belongs to no
   * request of the server, and this process handles it.
   */
  forward(message: unknown, auth: AuthInfo | undefined): Promise<void> | undefined;
  /**
   * Calls `deliver` when the message may be sent, in the order of the messages. A request of the server is recorded
   * first, because its response may arrive at another process at once. The record of a cancelled request is removed.
   */
  sendRecorded<T>(
    message: JsonRpcMessage,
    options: SendOptions | undefined,
    deliver: () => MaybePromise<T>,
  ): MaybePromise<T>;
  /** Stores a message for the standalone stream. */
  sendUnrelated(text: string): Promise<void>;
  beginAnswer(connection: EventStream, requests: readonly Id[]): SharedAnswer;
  listen(exchange: Exchange, auth: AuthInfo | undefined): Promise<ListenResult>;
  resume(exchange: Exchange, eventId: string, auth: AuthInfo | undefined): Promise<ListenResult>;
  stopListening(): void;
  /** Extends the lifetime of the session, at intervals. */
  extendTime(): void;
  /** Ends the session in this process, because it is no longer in the store. */
  endDeleted(): void;
  /** Deletes the session, so that it ends for all processes. */
  delete(): Promise<void>;
  /** Removes the session from this process. It continues in other processes. */
  detach(): Promise<void>;
}
