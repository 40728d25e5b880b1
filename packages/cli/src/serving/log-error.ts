import { toPublicText } from '@tenon/base';
import { redactSecrets } from '@tenon/host';
import { TenonError } from 'tenon';
import { describeError } from '../error-hints.js';
import type { LogFields, Screen } from '../screen.js';
import { getTraceId } from './trace-ids.js';

/** Error that no caller receives, as a running server logs it. */
export interface ErrorEvent extends LogFields {
  readonly event: 'error';
  /** Stable error code: `area/problem`. */
  readonly code: string;
  readonly message: string;
  readonly peer?: string;
  readonly method?: string;
  /** ID of the trace of the request, if its sender or this process traces it. */
  readonly traceId?: string;
}

/** Codes of errors that stop nothing. */
const WARNINGS: ReadonlySet<string> = new Set(['host/no-match', 'peer/unknown-response']);

const CONNECTS_AGAIN = 'do nothing: the connection is opened again when it is needed';

/** Next steps while a server keeps running, in place of those that run a command again. */
const HINTS: Readonly<Record<string, string>> = {
  'connection/closed': CONNECTS_AGAIN,
  'connection/unresponsive': CONNECTS_AGAIN,
  'call/outcome-unknown': CONNECTS_AGAIN,
  'http/silent-stream': CONNECTS_AGAIN,
  'peer/unknown-response': 'report it to the author of the peer, which sent a response twice or to no request',
  'call/timeout': 'raise `timeout` in the entry of the server, if it can be busy for that long',
};

/** Logs an error of a running server: as an event if the log is JSON, else as a message. Secrets, and paths in errors of handlers, are removed. */
export function logError(screen: Screen, thrown: unknown): void {
  const { code, peer, method } = TenonError.from(thrown);
  const described = describeError(thrown, HINTS);
  // The text of a handler's error can name files. In other errors, such as those of a configuration, the path helps.
  const message = code.endsWith('/threw') ? toPublicText(described) : redactSecrets(described);
  const traceId = getTraceId();
  const level = WARNINGS.has(code) ? 'warning' : 'error';
  // A client chooses its name.
  const named = peer && redactSecrets(peer);
  if (screen.logsJson) screen.printEvent({ event: 'error', code, message, peer: named, method, traceId }, level);
  else screen.note(`${code}: ${message}${traceId === undefined ? '' : ` (trace ${traceId})`}`, level);
}
