import type { Channel } from '../jsonrpc/channel.js';

/** Where a server is, and how to get there, as often as needed. */
export interface Endpoint {
  readonly kind: 'http' | 'http-sse' | 'stdio' | 'memory' | 'custom';
  /** What verdicts are remembered by. Without it none are: the next server here may be another. */
  readonly key?: string;
  /** A new channel. */
  open(): Channel | Promise<Channel>;
  /** The two-endpoint road of the first revision, where there may be one. */
  readonly fallback?: () => Endpoint;
  /** Ids of extensions that the road itself has: ways of signing in. */
  readonly extensions?: readonly string[];
  /** Sets who is told when requests begin to wait for a sign-in, and when they no longer do. */
  onSigningIn?(listener: (signingIn: boolean) => void): void;
}

/** What an HTTP channel has beyond a channel. */
export interface Listening extends Channel {
  listen(): void;
}
