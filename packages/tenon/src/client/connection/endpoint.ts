import type { Transport } from '../../jsonrpc/transport.js';

/** A server, and the means to connect to it as often as needed. */
export interface ServerEndpoint {
  readonly kind: 'http' | 'http-sse' | 'stdio' | 'memory' | 'custom';
  /** Key of the version cache. Without it none are: the next server here may be another. */
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

/** Members that an HTTP transport has beside those of every transport. */
export interface ListeningTransport extends Transport {
  listen(): void;
}
