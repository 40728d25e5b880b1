import { type Clock, isAuthError, TenonError } from '@tenon/base';

/** Codes of errors that show that a server at a URL cannot be reached. */
const UNREACHABLE: ReadonlySet<string> = new Set(['http/unreachable', 'http/interrupted', 'connection/unresponsive']);
/** Statuses with which a proxy responds in place of a server that is down. */
const UNREACHABLE_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

let lastSequence = 0;

/**
 * Result of the last request on a connection. An open connection over HTTP shows nothing about the server: the server
 * may be down, or refuse the credentials.
 */
export class ConnectionHealth {
  readonly #clock: Clock;
  readonly #onChange: () => void;
  #error: TenonError | undefined;
  #observedAt = Number.NEGATIVE_INFINITY;
  #sequence = 0;

  /** @param onChange Called when the error appears, disappears or is another one. */
  constructor(clock: Clock, onChange: () => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Reason why the next request will probably fail. */
  get error(): TenonError | undefined {
    return this.#error;
  }

  /** Time since the last response or failure, in milliseconds. */
  get age(): number {
    return this.#clock.elapsed() - this.#observedAt;
  }

  /** Notices a response, also one with an error. */
  recordResponse(): void {
    this.#record(undefined);
  }

  /** Notices the failure of a request. An error response of the server is a response. */
  recordFailure(thrown: unknown): void {
    if (!TenonError.is(thrown)) return;
    // During a delay after failures, nothing was sent.
    if (thrown.code.startsWith('host/')) return;
    if (isUnreachable(thrown) || isAuthError(thrown)) this.#record(thrown);
    else if (thrown.code === 'peer/error') this.#record(undefined);
  }

  /** Position of the last response or failure among those of all connections. 0 if there was none. */
  get sequence(): number {
    return this.#sequence;
  }

  #record(error: TenonError | undefined): void {
    this.#observedAt = this.#clock.elapsed();
    lastSequence += 1;
    this.#sequence = lastSequence;
    const isSame = error?.code === this.#error?.code;
    this.#error = error;
    if (!isSame) this.#onChange();
  }
}

/** Tells if an error shows that a server at a URL cannot be reached, for any caller. */
export function isUnreachable({ code, status, rpcCode, cause }: TenonError): boolean {
  if (UNREACHABLE.has(code) || (rpcCode === undefined && UNREACHABLE_STATUSES.has(status ?? 0))) return true;
  // The error of a call with an unknown outcome has the error of the connection as its cause.
  return TenonError.is(cause) && isUnreachable(cause);
}
