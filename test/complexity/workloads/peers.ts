import type { Server } from 'tenon';
import type { HttpHandler } from 'tenon/http';
import { createTestHandler, openListening, openSession, sendStateless } from '../connections.js';
import { formatName, type PreparedWorkload, pickMiddle, SIZES, type Workloads } from '../workload.js';
import { CALL, createResources, createTestServer } from './offers.js';

/** A request to listen to tools and to one resource. */
export const LISTEN = { notifications: { toolsListChanged: true, resourceSubscriptions: [formatName('note://', 1)] } };
const SUBSCRIBE = { uri: formatName('note://', 1) };

/** Work whose cost does not depend on the number of other sessions and streams. */
export const peerWorkloads: Workloads = {
  'a stateless call beside N idle sessions': preparePeers(openIdle, ({ handler }) => sendStateless(handler, ...CALL)),
  'a call in a session beside N idle ones': preparePeers(openIdle, ({ own }) => own(...CALL)),
  'a new session beside N idle ones': preparePeers(openIdle, ({ handler }) => openSession(handler)),
  'a new session in place of one of N, the maximum': {
    sizes: SIZES,
    async prepare(size) {
      const handler = createTestHandler(createTestServer(), size);
      for (let at = 0; at < size; at++) await openIdle(handler);
      return { run: () => openSession(handler), close: () => handler.close() };
    },
  },
  'a stateless call beside N subscribed sessions': preparePeers(openSubscribed, ({ handler }) =>
    sendStateless(handler, ...CALL),
  ),
  'a call in a session beside N subscribed ones': preparePeers(openSubscribed, ({ own }) => own(...CALL)),
  'a notification that none of N subscribed sessions gets': preparePeers(openSubscribed, async ({ server }) =>
    server.notifyResourceUpdated(formatName('note://', 2)),
  ),
  'a stateless call beside N open streams': preparePeers(openListened, ({ handler }) =>
    sendStateless(handler, ...CALL),
  ),
  'a call in a session beside N open streams': preparePeers(openListened, ({ own }) => own(...CALL)),
  'a notification that none of N open streams gets': preparePeers(openListened, async ({ server }) =>
    server.notifyResourceUpdated(formatName('note://', 2)),
  ),
};

/** Work that may cost in proportion to the number of those who are notified. */
export const notificationWorkloads: Workloads = {
  'a notification to N subscribed sessions': preparePeers(openSubscribed, notifyAll),
  'a notification to N open streams': preparePeers(openListened, notifyAll),
};

/** Subscribers are notified in slices, with a timer between them. The largest size has this number of slices at most. */
const MAX_SLICES = Math.max(...SIZES) / 25;

async function notifyAll({ server }: PeerSet): Promise<void> {
  server.notifyResourceUpdated(formatName('note://', 1));
  for (let slice = 0; slice < MAX_SLICES; slice++) await new Promise(resolve => setTimeout(resolve, 1));
}

interface PeerSet {
  readonly server: Server;
  readonly handler: HttpHandler;
  readonly own: (method: string, params: { readonly [name: string]: unknown }) => Promise<unknown>;
}

function preparePeers(
  others: (handler: HttpHandler) => Promise<unknown>,
  run: (place: PeerSet) => Promise<unknown>,
): Workloads[string] {
  return {
    sizes: SIZES,
    async prepare(size): Promise<PreparedWorkload> {
      const server = createTestServer({ resources: createResources(10) });
      const handler = createTestHandler(server);
      for (let at = 0; at < pickMiddle(size); at++) await others(handler);
      const place = { server, handler, own: await openSession(handler) };
      for (let at = pickMiddle(size); at < size; at++) await others(handler);
      return { run: () => run(place), close: () => handler.close() };
    },
  };
}

async function openIdle(handler: HttpHandler): Promise<void> {
  const session = await openSession(handler);
  await session(...CALL);
}

async function openSubscribed(handler: HttpHandler): Promise<void> {
  const session = await openSession(handler);
  await session('resources/subscribe', SUBSCRIBE);
}

async function openListened(handler: HttpHandler): Promise<void> {
  await openListening(handler, 'subscriptions/listen', LISTEN).response;
}
