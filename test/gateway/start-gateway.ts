import { createTransportPair, type Transport } from 'tenon';
import { serveHttp } from 'tenon/node';
import { bundle } from '../support/bundle.js';
import type { PairTransport } from './pair.js';

/** A server as a gateway reaches it: started as a process, or at a URL. In memory: a channel to it, each time. */
export type BackendTarget =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly transport: 'http' | 'http-sse' }
  | (() => Promise<Transport>);

/** The gateway as a client reaches it. `sseUrl` is for clients of the first protocol version. */
export type GatewayTarget =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly sseUrl: string }
  | (() => Promise<Transport>);

/** What stands between a client and a server. */
export interface RunningGateway {
  readonly target: GatewayTarget;
  close(): Promise<void>;
}

export type StartGateway = (behind: BackendTarget, mode: PairTransport) => Promise<RunningGateway>;

/**
 * Starts a gateway before a server, in the same way on both sides: over HTTP it serves all transports that it has, over
 * stdio it is a program to be started. It closes what it began.
 */
export const startGateway: StartGateway = async (behind, mode) => {
  if (mode === 'stdio') {
    return {
      target: {
        command: process.execPath,
        args: [bundle('test/gateway/gateway-program.ts'), JSON.stringify(behind)],
      },
      close: async () => {},
    };
  }
  // Loaded only here: without a gateway nothing of it is needed.
  const { createGatewayHost } = await import('./gateway.js');
  const host = await createGatewayHost(behind);
  const gateway = host.toServer();
  if (mode === 'memory') {
    const open = async () => {
      const pair = createTransportPair();
      await gateway.connect(pair.server);
      return pair.client;
    };
    return { target: open, close: () => host.close() };
  }
  const http = await serveHttp(gateway, { port: 0 });
  const close = async () => {
    await http.close({ timeout: 0 });
    await host.close();
  };
  return { target: { url: http.url, sseUrl: http.sseUrl ?? '' }, close };
};

/** Nothing in between: the client meets the server itself. */
export const startDirect: StartGateway = async behind => {
  if (typeof behind === 'function' || 'command' in behind) return { target: behind, close: async () => {} };
  return { target: { url: behind.url, sseUrl: behind.url }, close: async () => {} };
};
