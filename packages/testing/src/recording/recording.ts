import type { JsonRpcMessage } from 'tenon';
import type { Id } from 'tenon/testing-internals';
import type { MessageFault } from '../faults.js';

/** Direction of a recorded message: `send` is from the client to the server, `recv` from the server to the client. */
export type RecordedDirection = 'send' | 'recv';

/** A request of a recording. */
export interface RecordedRequest {
  /** Direction of the request. */
  readonly dir: RecordedDirection;
  /** Name of the server. */
  readonly server: string;
  /** Number of the connection, from 1. */
  readonly session: number;
  /** ID of the request. Of several requests with this ID, the last one before the message counts. */
  readonly id: Id;
}

/** Values that join a message with others, and that the message does not show. */
export interface RecordedLinks {
  /** ID of the client's request on whose stream the server sent the message. Absent if it is not known. */
  readonly relatedTo?: Id | undefined;
  /** Connection of a gateway: that of a caller, or one to an upstream server. Absent for any other connection. */
  readonly hop?: 'caller' | 'upstream' | undefined;
  /** The request that a gateway served when it sent this one. Absent if it is not known. */
  readonly cause?: RecordedRequest | undefined;
  /** SHA-256 of the `requestState`, as base64url, if it is a signed JWT, which a recording masks. */
  readonly stateDigest?: string | undefined;
}

/** One message of a recording. */
export interface RecordedMessage extends RecordedLinks {
  /** Number of its line in the file, from 1. */
  readonly line: number;
  /** Direction of the message. */
  readonly dir: RecordedDirection;
  /** Name of the server. */
  readonly server: string;
  /** Time of the message, in ISO 8601. Empty if the file does not contain it. */
  readonly ts: string;
  /** Number of the connection, from 1. */
  readonly session: number;
  /**
   * Fault that was injected into the message, such as `{ kind: 'cut' }`. The message is the one before the fault.
   * Absent if there was none.
   */
  readonly fault?: MessageFault | undefined;
  /** The message, without its secrets. */
  readonly message: JsonRpcMessage;
}

/** Messages between clients and servers, in the order in which they were sent. */
export interface Recording {
  /** All messages of the file. */
  readonly messages: readonly RecordedMessage[];
  /** Names of the servers, in the order of their first messages. */
  readonly servers: readonly string[];
  /** True if the recording has no end: it reached its maximum size, or its last line is incomplete. */
  readonly isTruncated: boolean;
}

/** Methods of the lines that are no messages: they describe the recording itself. */
export const LIFECYCLE = { start: '$transport/start', close: '$transport/close', limit: '$transport/limit' } as const;

/** Version of the members that this library adds to a recording. */
export const RECORDING_FORMAT = 1;
