import type { Authorizer } from '../../../auth/client/authorizer.js';
import type { Clock } from '../../../cancellation/clock.js';
import type { Optional } from '../../../protocol/defaults.js';
import type { Requester } from './requester.js';

export type HeaderRecord = Readonly<Record<string, string>>;

/** A 401 or 403, as far as a sign-in needs to know it. */
export interface UnauthorizedResponse {
  readonly status: 401 | 403;
  /** The endpoint, without credentials and query. */
  readonly url: string;
  /** Looks up a header of the response by its lower-case name, e.g. `www-authenticate`. */
  header(name: string): string | undefined;
}

/** Reconnection of a broken stream. Times are milliseconds. */
export interface ReconnectPolicy {
  /**
   * Maximum consecutive attempts without a message before the stream is abandoned. Reconnects that the server requests
   * do not count.
   */
  readonly maxAttempts: number;
  /**
   * Delay before the first attempt, in milliseconds, doubled by each one that fails. Up to half of it is added at
   * random.
   */
  readonly initialDelay: number;
  /** Maximum of the doubled delay, in milliseconds. */
  readonly maxDelay: number;
  /** Maximum time without a message, in milliseconds, before the stream is given up. */
  readonly maxElapsed: number;
}

/** Options of both HTTP transports. */
export interface HttpClientOptions {
  readonly requester: Requester;
  /**
   * Headers for every request, for example a token. A function is called for each request. Headers of the protocol take
   * precedence.
   */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>) | undefined;
  /**
   * Called when the server responds with 401 or 403. When it resolves to true, the request is sent once more, with new
   * headers: once for each of the two statuses.
   */
  readonly onUnauthorized?: ((refusal: UnauthorizedResponse) => Promise<boolean>) | undefined;
  /** Signs the client in. Its headers win over `headers`. */
  readonly auth?: Authorizer | undefined;
  /** Called when a sign-in begins that requests wait for, and with `false` when there is none any more. */
  readonly onSigningIn?: ((signingIn: boolean) => void) | undefined;
  readonly clock?: Clock | undefined;
  /** Numbers from 0 up to 1, for the spread of reconnects. */
  readonly random?: (() => number) | undefined;
  /** The longest JSON answer in bytes, and the longest event in characters. Default 16,777,216 (16 Mi). */
  readonly maxMessageSize?: number | undefined;
}

export interface HttpTransportOptions extends HttpClientOptions {
  /** Resumption of the stream of an unanswered request. Default `RESUME_POLICY`. */
  readonly resume?: Optional<ReconnectPolicy> | undefined;
  /**
   * Reconnection of the standalone stream. Default: 20 attempts, first after 1,000 ms, at most 60,000 ms apart, without
   * an end.
   */
  readonly listen?: Optional<ReconnectPolicy> | undefined;
  /** Time for the server to end the session on `close`, in milliseconds. Default 2,000. */
  readonly closeTimeout?: number | undefined;
}

export const MAX_MESSAGE_SIZE = 16 * 1024 * 1024;
export const CLOSE_TIMEOUT = 2_000;

const DAY = 86_400_000;
export const RESUME_POLICY: ReconnectPolicy = {
  maxAttempts: 8,
  initialDelay: 1_000,
  maxDelay: 30_000,
  maxElapsed: DAY,
};
export const LISTEN_POLICY: ReconnectPolicy = {
  maxAttempts: 20,
  initialDelay: 1_000,
  maxDelay: 60_000,
  maxElapsed: Number.POSITIVE_INFINITY,
};
