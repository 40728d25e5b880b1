import type { Clock, Optional } from '@tenon/base';
import type { Authorizer } from '../../../auth/client/authorizer.js';
import type { Requester } from './requester.js';

export type HeaderRecord = Readonly<Record<string, string>>;

/** The parts of a 401 or 403 response that a sign-in needs. */
export interface UnauthorizedResponse {
  readonly status: 401 | 403;
  /** URL of the endpoint, without credentials and query. */
  readonly url: string;
  /** Returns a header of the response by its lower-case name, for example `www-authenticate`. */
  header(name: string): string | undefined;
}

/** Options for reconnecting a broken stream. */
export interface ReconnectPolicy {
  /**
   * Maximum number of consecutive attempts without a message. After them the stream is given up. Reconnects that the
   * server requests do not count.
   */
  readonly maxAttempts: number;
  /**
   * Delay before the first attempt, in milliseconds. Each failed attempt doubles it. Up to half of it is added at
   * random.
   */
  readonly initialDelay: number;
  /** Maximum delay between attempts, in milliseconds. */
  readonly maxDelay: number;
  /** Maximum time without a message, in milliseconds. After it the stream is given up. */
  readonly maxElapsed: number;
}

/** Options of both HTTP transports of the client. */
export interface HttpClientOptions {
  readonly requester: Requester;
  /**
   * Headers for every request, for example a token. A function is called for each request. Headers of the protocol
   * take precedence.
   * @default none
   */
  readonly headers?: HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>) | undefined;
  /**
   * Called when the server responds with 401 or 403. If it resolves to true, the request is sent again with new
   * headers, at most once for each of the two statuses.
   */
  readonly onUnauthorized?: ((refusal: UnauthorizedResponse) => Promise<boolean>) | undefined;
  /** Signs the client in. Its headers take precedence over `headers`. */
  readonly auth?: Authorizer | undefined;
  /** Called with true when a sign-in starts that requests wait for, and with false when none is left. */
  readonly onSigningIn?: ((signingIn: boolean) => void) | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Returns random numbers from 0 up to 1, for the delays of reconnects.
   * @default `Math.random`
   */
  readonly random?: (() => number) | undefined;
  /**
   * Maximum size of a JSON response in bytes, and of an event in characters, after decoding.
   * @default 16,777,216 (16 Mi)
   */
  readonly maxMessageSize?: number | undefined;
}

export interface HttpTransportOptions extends HttpClientOptions {
  /**
   * Options for resuming the stream of a pending request.
   * @default `RESUME_POLICY`
   */
  readonly resume?: Optional<ReconnectPolicy> | undefined;
  /**
   * Options for reconnecting the standalone stream.
   * @default 20 attempts, the first after 1,000 ms, at most 60,000 ms apart, without a time limit
   */
  readonly listen?: Optional<ReconnectPolicy> | undefined;
  /**
   * Maximum time for the server to end the session on `close`, in milliseconds.
   * @default 2,000
   */
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
