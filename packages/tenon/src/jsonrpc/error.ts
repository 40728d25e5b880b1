import { INTERNAL_ERROR } from './error-codes.js';
import {
  createFailure,
  createSuccess,
  describeType,
  type ErrorObject,
  isObject,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from './message.js';

/** Characters of a thrown object that an error shows at the most. */
const MAX_DESCRIPTION = 500;

/** Details of an error. All of it may be shown to the user of the program. */
export interface ErrorDetails {
  /** The peer: `notes (2025-06-18, stdio: node notes.js)`. */
  peer?: string | undefined;
  /** The protocol method. */
  method?: string | undefined;
  /** Expected value. */
  expected?: string | undefined;
  received?: string | undefined;
  /** Next step for the user. */
  hint?: string | undefined;
  /** The JSON-RPC error code, when the error crossed the wire or is to cross it. */
  rpcCode?: number | undefined;
  /** The JSON-RPC `error.data`. */
  data?: unknown;
  /** The HTTP status, when HTTP said no. */
  status?: number | undefined;
  cause?: unknown;
}

/**
 * The one error class. `code` is stable and made for programs: `area/what`, e.g. `peer/error`, `call/timeout`,
 * `connection/closed`. The message is made for people: what happened, with whom, and what to do next.
 */
export class TenonError extends Error {
  /** Always `TenonError`. */
  override readonly name = 'TenonError';
  /** Stable code `area/problem`, for programs. */
  readonly code: string;
  /** The problem, without the details that the message adds. */
  readonly summary: string;
  /** The other side: its name, protocol version and address. */
  readonly peer: string | undefined;
  /** Method or notification of the failed message. */
  readonly method: string | undefined;
  /** The expected value or condition. */
  readonly expected: string | undefined;
  /** The received value. */
  readonly received: string | undefined;
  /** Next step for the reader. */
  readonly hint: string | undefined;
  /** JSON-RPC error code, when the error crossed the wire. */
  readonly rpcCode: number | undefined;
  /** JSON-RPC error data, when the error crossed the wire. */
  readonly data: unknown;
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined;

  constructor(code: string, summary: string, details: ErrorDetails = {}) {
    super(composeMessage(summary, details), 'cause' in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.summary = summary;
    this.peer = details.peer;
    this.method = details.method;
    this.expected = details.expected;
    this.received = details.received;
    this.hint = details.hint;
    this.rpcCode = details.rpcCode;
    this.data = details.data;
    this.status = details.status;
  }

  /** Tells if a value is a TenonError, also one of another copy of the library. */
  static is(value: unknown): value is TenonError {
    return value instanceof Error && value.name === 'TenonError' && typeof (value as TenonError).code === 'string';
  }

  /** Converts a thrown value to a TenonError. A TenonError is returned as it is. */
  static from(value: unknown, code = 'internal/unexpected', details: ErrorDetails = {}): TenonError {
    if (TenonError.is(value)) return value;
    return new TenonError(code, describeThrown(value), { ...details, cause: value });
  }
}

/** Anything can be thrown. An object is described by its message, else by what it holds. */
function describeThrown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('message' in value && typeof value.message === 'string') return value.message;
  try {
    return JSON.stringify(value).slice(0, MAX_DESCRIPTION);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** `{subject}: {problem}. Expected X, got Y. {next step}`, each part where there is one. */
function composeMessage(summary: string, { peer, method, expected, received, hint }: ErrorDetails): string {
  const subject = [peer, method].filter(Boolean).join(', ');
  const difference = [expected && `expected ${expected}`, received && `got ${received}`].filter(Boolean).join(', ');
  const problem = subject ? `${subject}: ${summary}` : summary;
  if (!difference && !hint) return problem;
  // A summary of several lines ends with text of another party, which must be kept apart from the library's text.
  const separator = summary.includes('\n') ? '\n' : ' ';
  return [endSentence(problem), difference && toSentence(difference), hint && toSentence(hint)]
    .filter(Boolean)
    .join(separator);
}

const toSentence = (text: string): string => endSentence(text.charAt(0).toUpperCase() + text.slice(1));

const endSentence = (text: string): string => (/[.!?…:]$/.test(text) ? text : `${text}.`);

/**
 * Creates an error that crosses the wire with this code, message and data. Other errors of handlers cross as `Internal
 * error`, without their text.
 */
export function rpcError(rpcCode: number, message: string, data?: unknown): TenonError {
  return new TenonError('rpc/error', message, { rpcCode, data });
}

/**
 * True if an error was created by `rpcError`. An error response of another peer is not, because it may contain more
 * than this peer may know.
 */
export function isForPeer(error: unknown): error is TenonError & { readonly rpcCode: number } {
  return TenonError.is(error) && error.code === 'rpc/error' && error.rpcCode !== undefined;
}

/** Returns the part of an error that may cross the wire: that of one made by `rpcError`, and nothing of any other. */
export function toErrorObject(error: unknown): ErrorObject {
  if (!isForPeer(error)) return { code: INTERNAL_ERROR, message: 'Internal error' };
  const { rpcCode, message, data } = error;
  return data === undefined ? { code: rpcCode, message } : { code: rpcCode, message, data };
}

/** Returns the errors that replace results that cannot be serialized. */
export function toErrorResponses(response: JsonRpcResponse | JsonRpcResponse[]): JsonRpcResponse | JsonRpcResponse[] {
  if (Array.isArray(response)) return response.map(each => toErrorResponses(each) as JsonRpcResponse);
  return createFailure(response.id, { code: INTERNAL_ERROR, message: 'Internal error' });
}

/** Tells if an error means that the peer no longer knows the session. */
export function isSessionLoss(error: unknown): boolean {
  return TenonError.is(error) && (error.code === 'session/gone' || error.code === 'session/rejected');
}

/** Makes the answer to a request of what its handler returned. Throws when that is no object. */
export function toSuccess({ id }: JsonRpcRequest, result: unknown): JsonRpcResponse {
  if (isObject(result)) return createSuccess(id, result);
  throw new TenonError('handler/result', 'the return value of the handler is not an object', {
    expected: 'an object',
    received: describeType(result),
  });
}
