import type { Transport } from '../../jsonrpc/transport.js';

/** A server, and the means to connect to it as often as needed. */
export interface ServerEndpoint {
  readonly kind: 'http' | 'http-sse' | 'stdio' | 'memory' | 'custom';
  /** Key of the version cache. Without it none are: the next server here may be another. */
  readonly key?: string;
  /** A new channel. */
  open(): Transport | Promise<Transport>;
  /** The HTTP+SSE transport of 2024-11-05, if the server may have one. */
  readonly fallback?: () => ServerEndpoint;
  /** Ids of extensions that the transport itself provides, such as sign-in methods. */
  readonly extensions?: readonly string[];
  /** Sets the function that is called when requests begin and cease to wait for a sign-in. */
  onSigningIn?(listener: (signingIn: boolean) => void): void;
}

/** Members that an HTTP transport has beside those of every transport. */
export interface ListeningTransport extends Transport {
  listen(): void;
}
