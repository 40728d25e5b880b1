import type { JsonObject } from '../../jsonrpc/message.js';
import type { SubscriptionFilter } from '../../model/shapes.js';
import type { Listening } from '../../server/extension.js';
import type { Turn } from '../../server/turn.js';
import type { Place } from '../catalog.js';
import type { Hub } from '../hub.js';
import { findPlace } from './locating.js';
import type { ListName } from './news.js';
import { resourceProposal } from './proposals.js';
import { watchResource } from './watching.js';

const LISTEN = 'subscriptions/listen';
/** How many URIs one listener may name. */
const MAX_URIS = 1000;

const FLAGS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

/** What a listener will be told of: the lists that it wishes, and the resources that one of the servers has. */
export async function listening(hub: Hub, wishes: SubscriptionFilter, turn: Turn): Promise<Listening> {
  const lists = (Object.keys(FLAGS) as ListName[]).filter(name => wishes[FLAGS[name]] === true);
  const uris = [...new Set(wishes.resourceSubscriptions ?? [])].slice(0, MAX_URIS);
  const places = await Promise.all(uris.map(async uri => ({ uri, place: await watchable(hub, uri, turn) })));
  const known = places.filter((each): each is { uri: string; place: Place } => each.place !== undefined);
  const filter: SubscriptionFilter = Object.fromEntries(lists.map(name => [FLAGS[name], true]));
  if (known.length > 0) filter.resourceSubscriptions = known.map(({ uri }) => uri);
  return { filter, begin: deliver => begin(hub, lists, known, turn, deliver) };
}

/** A resource that there is, and that may be looked at. */
async function watchable(hub: Hub, uri: string, turn: Turn): Promise<Place | undefined> {
  try {
    const place = await findPlace(hub, uri, turn, LISTEN);
    await hub.guard.glance(resourceProposal(place.line, place.uri), place.line, LISTEN);
    return place;
  } catch {
    return undefined;
  }
}

function begin(
  hub: Hub,
  lists: readonly ListName[],
  known: readonly { readonly uri: string; readonly place: Place }[],
  turn: Turn,
  deliver: (method: string, params: JsonObject) => void,
): () => void {
  const problem = hub.guard.problem.bind(hub.guard);
  const ends = known.map(({ uri, place: { line, uri: inner } }) =>
    watchResource(line, inner, () => deliver('notifications/resources/updated', { uri }), problem),
  );
  if (lists.length > 0) {
    const audience = hub.audience(turn);
    ends.push(hub.news.listen(audience, new Set(lists), deliver));
    // Only who has read a list hears that it has changed.
    const catalog = hub.catalog(audience);
    for (const name of lists) void catalog.offering(name).catch(() => {});
  }
  return () => {
    for (const end of ends) end();
  };
}
