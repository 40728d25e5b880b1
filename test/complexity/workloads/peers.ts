import type { Server } from 'tenon';
import type { HttpHandler } from 'tenon/http';
import { createTestHandler, openListening, openSession, sendStateless } from '../connections.js';
import { formatName, type PreparedWorkload, pickMiddle, SIZES, type Workloads } from '../workload.js';
import { CALL, createResources, createTestServer } from './offers.js';

/** A request to listen to tools and to one resource. */
export const LISTEN = { notifications: { toolsListChanged: true, resourceSubscriptions: [formatName('note://', 1)] } };
const SUBSCRIBE = { uri: formatName('note://', 1) };

/** What costs the same however many others there are. */
export const peerWorkloads: Workloads = {
  'a call of its own, with so many sessions that idle': preparePeers(openIdle, ({ handler }) =>
    sendStateless(handler, ...CALL),
  ),
  'a call in a session, with so many others that idle': preparePeers(openIdle, ({ own }) => own(...CALL)),
  'a session that is opened, with so many others that idle': preparePeers(openIdle, ({ handler }) =>
    openSession(handler),
  ),
  'a session that is opened where there is no room for more than so many': {
    sizes: SIZES,
    async prepare(size) {
      const handler = createTestHandler(createTestServer(), size);
      for (let at = 0; at < size; at++) await openIdle(handler);
      return { once: () => openSession(handler), close: () => handler.close() };
    },
  },
  'a call of its own, with so many subscribers': preparePeers(openSubscribed, ({ handler }) =>
    sendStateless(handler, ...CALL),
  ),
  'a call in a session, with so many subscribers': preparePeers(openSubscribed, ({ own }) => own(...CALL)),
  'news of a resource, with so many subscribers of another': preparePeers(openSubscribed, async ({ server }) =>
    server.notifyResourceUpdated(formatName('note://', 2)),
  ),
  'a call of its own, with so many listeners': preparePeers(openListened, ({ handler }) =>
    sendStateless(handler, ...CALL),
  ),
  'a call in a session, with so many listeners': preparePeers(openListened, ({ own }) => own(...CALL)),
  'news of a resource, with so many listeners to another': preparePeers(openListened, async ({ server }) =>
    server.notifyResourceUpdated(formatName('note://', 2)),
  ),
};

/** What may cost as much as there are who are told. */
export const notificationWorkloads: Workloads = {
  'news of a resource, to so many subscribers': preparePeers(openSubscribed, notifyAll),
  'news of a resource, to so many listeners': preparePeers(openListened, notifyAll),
};

/** Subscribers are notified in slices, with a timer between them. The largest number has at most so many slices. */
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
  once: (place: PeerSet) => Promise<unknown>,
): Workloads[string] {
  return {
    sizes: SIZES,
    async prepare(size): Promise<PreparedWorkload> {
      const server = createTestServer({ resources: createResources(10) });
      const handler = createTestHandler(server);
      for (let at = 0; at < pickMiddle(size); at++) await others(handler);
      const place = { server, handler, own: await openSession(handler) };
      for (let at = pickMiddle(size); at < size; at++) await others(handler);
      return { once: () => once(place), close: () => handler.close() };
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
