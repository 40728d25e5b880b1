import { type Channel, createPair } from 'tenon';
import { serveHttp } from 'tenon/node';
import { bundle } from '../support/bundle.js';
import type { Way } from './pair.js';

/** A server as a gateway reaches it: started as a process, or at a URL. In memory: a channel to it, each time. */
export type Behind =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly transport: 'http' | 'http-sse' }
  | (() => Promise<Channel>);

/** The gateway as a client reaches it. `sseUrl` is for clients of the first revision. */
export type InFront =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly sseUrl: string }
  | (() => Promise<Channel>);

/** What stands between a client and a server. */
export interface Front {
  readonly target: InFront;
  close(): Promise<void>;
}

export type PutInFront = (behind: Behind, way: Way) => Promise<Front>;

/**
 * Starts a gateway before a server, in the same way on both sides: over HTTP it serves all transports that it has, over
 * stdio it is a program to be started. It closes what it began.
 */
export const gatewayInFrontOf: PutInFront = async (behind, way) => {
  if (way === 'stdio') {
    return {
      target: {
        command: process.execPath,
        args: [bundle('test/gateway/gateway-program.ts'), JSON.stringify(behind)],
      },
      close: async () => {},
    };
  }
  // Loaded only here: without a gateway nothing of it is needed.
  const { hostOf } = await import('./gateway.js');
  const host = await hostOf(behind);
  const gateway = host.asServer();
  if (way === 'memory') {
    const open = async () => {
      const pair = createPair();
      await gateway.connect(pair.server);
      return pair.client;
    };
    return { target: open, close: () => host.close() };
  }
  const http = await serveHttp(gateway, { port: 0 });
  const close = async () => {
    await http.close({ deadline: 0 });
    await host.close();
  };
  return { target: { url: http.url, sseUrl: http.sseUrl ?? '' }, close };
};

/** Nothing in between: the client meets the server itself. */
export const nothingInFrontOf: PutInFront = async behind => {
  if (typeof behind === 'function' || 'command' in behind) return { target: behind, close: async () => {} };
  return { target: { url: behind.url, sseUrl: behind.url }, close: async () => {} };
};
