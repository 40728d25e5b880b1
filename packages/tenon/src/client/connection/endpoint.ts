import type { Transport } from '../../jsonrpc/transport.js';

/** Where a server is, and how to get there, as often as needed. */
export interface ServerEndpoint {
  readonly kind: 'http' | 'http-sse' | 'stdio' | 'memory' | 'custom';
  /** What verdicts are remembered by. Without it none are: the next server here may be another. */
  readonly key?: string;
  /** A new channel. */
  open(): Transport | Promise<Transport>;
  /** The two-endpoint road of the first revision, where there may be one. */
  readonly fallback?: () => ServerEndpoint;
  /** Ids of extensions that the road itself has: ways of signing in. */
  readonly extensions?: readonly string[];
  /** Sets who is told when requests begin to wait for a sign-in, and when they no longer do. */
  onSigningIn?(listener: (signingIn: boolean) => void): void;
}

/** What an HTTP channel has beyond a channel. */
export interface ListeningTransport extends Transport {
  listen(): void;
}
