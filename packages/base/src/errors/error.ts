import { escapeHidden } from '../redaction/invisible-characters.js';
import { UNAVAILABLE } from './error-codes.js';
import { getRetryAfterMs } from './retry-after.js';

/** Maximum number of characters of a thrown object that an error shows. */
const MAX_DESCRIPTION = 500;

/** Details of an error. Every detail may be shown to the user of the program. */
export interface ErrorDetails {
  /** The peer: `notes (2025-06-18, stdio: node notes.js)`. */
  peer?: string | undefined;
  /** Method of the request or notification that failed. */
  method?: string | undefined;
  /** Expected value or condition. */
  expected?: string | undefined;
  received?: string | undefined;
  /** Next step for the user. */
  hint?: string | undefined;
  /** JSON-RPC error code, if the error was received from the peer or will be sent to it. */
  rpcCode?: number | undefined;
  /** JSON-RPC error data. */
  data?: unknown;
  /** HTTP status of the response, if the HTTP request failed. */
  status?: number | undefined;
  /** Time after which the request may be sent again, in milliseconds, if the peer has stated it. */
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

const DETAILS = [
  'peer',
  'method',
  'expected',
  'received',
  'hint',
  'rpcCode',
  'data',
  'status',
  'retryAfterMs',
] as const satisfies readonly (keyof ErrorDetails)[];

/**
 * The error class of the library. Programs read `code`, which is stable: `area/problem`, for example `peer/error`,
 * `call/timeout` or `connection/closed`. People read the message: the problem, the peer and the next step.
 */
export class TenonError extends Error {
  /** Always `TenonError`. */
  override readonly name = 'TenonError';
  /** Stable code `area/problem`, for programs. */
  readonly code: string;
  /** The problem, without the details that the message adds. */
  readonly summary: string;
  /** The peer: its name, protocol version and address. */
  declare readonly peer: string | undefined;
  /** Method of the request or notification that failed. */
  declare readonly method: string | undefined;
  /** The expected value or condition. */
  declare readonly expected: string | undefined;
  /** The value that was received instead of the expected one. */
  declare readonly received: string | undefined;
  /** Next step for the user. */
  declare readonly hint: string | undefined;
  /** JSON-RPC error code, if the error was received from the peer or will be sent to it. */
  declare readonly rpcCode: number | undefined;
  /** JSON-RPC error data, if the error was received from the peer or will be sent to it. */
  declare readonly data: unknown;
  /** HTTP status of the response, if there was one. */
  declare readonly status: number | undefined;
  /**
   * Time after which the request may be sent again, in milliseconds: of the header `Retry-After` or of `data`. Undefined
   * if the peer has not stated it.
   */
  declare readonly retryAfterMs: number | undefined;

  // A detail that is unknown is still a member of the class, for programs that look for it.
  static {
    for (const name of DETAILS) Reflect.set(TenonError.prototype, name, undefined);
  }

  constructor(code: string, text: string, given?: ErrorDetails) {
    // Callers without types pass anything, and an error about it must not hide the one that they report.
    const summary = `${text}`;
    const details: ErrorDetails = Object(given);
    const message = composeMessage(summary, details);
    // Programs print messages, and a peer may have chosen a part. An error for the peer keeps its text.
    super(code === 'rpc/error' ? message : escapeHidden(message), details);
    this.code = code;
    this.summary = summary;
    // Programs print an error with all its own members, so it has none for unknown details.
    for (const name of DETAILS) {
      const detail =
        details[name] === undefined && name === 'retryAfterMs' ? getRetryAfterMs(details.data) : details[name];
      if (detail !== undefined) Reflect.set(this, name, detail);
    }
  }

  /** Tells if a value is a `TenonError`. Errors of another copy of the library count too. */
  static is(value: unknown): value is TenonError {
    return value instanceof Error && value.name === 'TenonError' && typeof (value as TenonError).code === 'string';
  }

  /** Converts a thrown value to a `TenonError`. Returns a `TenonError` unchanged. */
  static from(value: unknown, code = 'internal/unexpected', details: ErrorDetails = {}): TenonError {
    if (TenonError.is(value)) return value;
    return new TenonError(code, describeThrown(value), { ...details, cause: value });
  }
}

/** Returns the error with other details. It keeps all details that are not named. */
export function withDetails(error: TenonError, details: ErrorDetails & { readonly summary?: string }): TenonError {
  const { summary = error.summary } = details;
  return new TenonError(error.code, summary, { ...error, cause: error.cause, ...details });
}

/**
 * Converts a thrown value to an error for a log, which names the peer and the method of the request. An error that names
 * others keeps them.
 */
export function toReportedError(
  thrown: unknown,
  code: string,
  request: Pick<ErrorDetails, 'peer' | 'method'>,
): TenonError {
  const error = TenonError.from(thrown, code, request);
  const { peer = request.peer, method = request.method } = error;
  if (peer === error.peer && method === error.method) return error;
  const named = withDetails(error, { peer, method });
  if (error.stack !== undefined) named.stack = error.stack;
  return named;
}

/** Describes a thrown value, which can have any type. An object is described by its message, else by its members. */
function describeThrown(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('message' in value && typeof value.message === 'string') return value.message;
  try {
    return JSON.stringify(value).slice(0, MAX_DESCRIPTION);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Composes a message: `{subject}: {problem}. Expected X, got Y. {next step}`. Missing parts are omitted. */
function composeMessage(summary: string, { peer, method, expected, received, hint = '' }: ErrorDetails): string {
  const subject = [peer, method].filter(Boolean).join(', ');
  const difference = [expected && `expected ${expected}`, received && `got ${received}`].filter(Boolean).join(', ');
  const text = subject ? `${subject}: ${summary}` : summary;
  if (!difference && !hint) return text;
  // A summary with several lines ends with text of another party, which must stay separate from the library's text.
  const separator = summary.includes('\n') ? '\n' : ' ';
  return [endSentence(text), toSentence(difference), toSentence(hint)].filter(Boolean).join(separator);
}

const toSentence = (text: string): string => endSentence(`${text}`.replace(/^./, first => first.toUpperCase()));

/** Adds a full stop. Text with several lines gets none, because it ends with a list or with text of another party. */
const endSentence = (text: string): string => text.trimEnd().replace(/^[^\n]*[^.!?…:\n]$/, '$&.');

/**
 * Creates an error that is sent to the peer with this code, message and data. The peer gets any other error of a
 * handler as `Internal error`, without its text.
 */
export function rpcError(rpcCode: number, message: string, data?: unknown): TenonError {
  return new TenonError('rpc/error', message, { rpcCode, data });
}

/**
 * Tells if `rpcError` created an error. Error responses of other peers do not count, because they may contain
 * information that this peer must not get.
 */
export function isForPeer(error: unknown): error is TenonError & { readonly rpcCode: number } {
  return TenonError.is(error) && FOR_PEERS.has(error.code) && error.rpcCode !== undefined;
}

/** Codes of errors whose text was written for peers. The texts of all others may name internals. */
const FOR_PEERS: ReadonlySet<string> = new Set(['rpc/error', 'host/too-many-connections', 'host/caller-value']);

/**
 * Tells if an error is about the authorization, for example a failure of an authorization server. It says nothing about
 * the transport or the protocol version of the server, so no other one is tried.
 */
export function isAuthError({ code }: TenonError): boolean {
  return code.startsWith('auth/');
}

/**
 * Tells if a peer refused a request for now, before it was executed, and stated the time after which it may be sent
 * again. A request whose outcome is unknown does not count.
 */
export function isRefusedForNow(error: unknown): error is TenonError & { readonly retryAfterMs: number } {
  if (!TenonError.is(error) || error.retryAfterMs === undefined || error.code === 'call/outcome-unknown') return false;
  return error.status === UNAVAILABLE || error.rpcCode === UNAVAILABLE;
}

/** Tells if an error means that the peer no longer knows the session. */
export function isSessionLoss(error: unknown): boolean {
  return TenonError.is(error) && (error.code === 'session/gone' || error.code === 'session/rejected');
}
