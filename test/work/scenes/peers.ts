import type { Server } from 'tenon';
import type { Handler } from 'tenon/http';
import { alone, handlerOf, listening, sessionOn } from '../roads.js';
import { amid, named, type Prepared, type Scenes, SIZES } from '../scene.js';
import { CALL, resourcesOf, serverWith } from './offers.js';

const LISTEN = { notifications: { toolsListChanged: true, resourceSubscriptions: [named('note://', 1)] } };
const SUBSCRIBE = { uri: named('note://', 1) };

/** What costs the same however many others there are. */
export const peers: Scenes = {
  'a call of its own, with so many sessions that idle': among(idle, ({ handler }) => alone(handler, ...CALL)),
  'a call in a session, with so many others that idle': among(idle, ({ own }) => own(...CALL)),
  'a session that is opened, with so many others that idle': among(idle, ({ handler }) => sessionOn(handler)),
  'a session that is opened where there is no room for more than so many': {
    sizes: SIZES,
    async prepare(size) {
      const handler = handlerOf(serverWith(), size);
      for (let at = 0; at < size; at++) await idle(handler);
      return { once: () => sessionOn(handler), close: () => handler.close() };
    },
  },
  'a call of its own, with so many subscribers': among(subscribed, ({ handler }) => alone(handler, ...CALL)),
  'a call in a session, with so many subscribers': among(subscribed, ({ own }) => own(...CALL)),
  'news of a resource, with so many subscribers of another': among(subscribed, async ({ server }) =>
    server.changed(named('note://', 2)),
  ),
  'a call of its own, with so many listeners': among(listened, ({ handler }) => alone(handler, ...CALL)),
  'a call in a session, with so many listeners': among(listened, ({ own }) => own(...CALL)),
  'news of a resource, with so many listeners to another': among(listened, async ({ server }) =>
    server.changed(named('note://', 2)),
  ),
};

/** What may cost as much as there are who are told. */
export const told: Scenes = {
  'news of a resource, to so many subscribers': among(subscribed, async ({ server }) =>
    server.changed(named('note://', 1)),
  ),
  'news of a resource, to so many listeners': among(listened, async ({ server }) =>
    server.changed(named('note://', 1)),
  ),
};

interface Place {
  readonly server: Server;
  readonly handler: Handler;
  readonly own: (method: string, params: { readonly [name: string]: unknown }) => Promise<unknown>;
}

function among(
  others: (handler: Handler) => Promise<unknown>,
  once: (place: Place) => Promise<unknown>,
): Scenes[string] {
  return {
    sizes: SIZES,
    async prepare(size): Promise<Prepared> {
      const server = serverWith({ resources: resourcesOf(10) });
      const handler = handlerOf(server);
      for (let at = 0; at < amid(size); at++) await others(handler);
      const place = { server, handler, own: await sessionOn(handler) };
      for (let at = amid(size); at < size; at++) await others(handler);
      return { once: () => once(place), close: () => handler.close() };
    },
  };
}

async function idle(handler: Handler): Promise<void> {
  const session = await sessionOn(handler);
  await session(...CALL);
}

async function subscribed(handler: Handler): Promise<void> {
  const session = await sessionOn(handler);
  await session('resources/subscribe', SUBSCRIBE);
}

async function listened(handler: Handler): Promise<void> {
  await listening(handler, 'subscriptions/listen', LISTEN).told;
}
