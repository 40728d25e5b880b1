import type { JsonObject } from '../jsonrpc/message.js';
import { SUBSCRIPTION_ID } from '../model/meta.js';
import type { SubscriptionFilter } from '../model/shapes.js';
import type { Blueprint } from './blueprint.js';
import type { Listening } from './extension.js';
import type { Operation } from './middleware.js';
import { findResource } from './reading.js';
import { complete } from './results.js';
import type { Turn } from './turn.js';
import type { ListName, Watcher } from './watchers.js';

/** How many URIs one listener may name. */
const MAX_URIS = 1000;

/**
 * `subscriptions/listen`: says what it will tell of, tells of it, and ends when the client or the server ends it.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export async function listen(blueprint: Blueprint, { params }: Operation, turn: Turn): Promise<JsonObject> {
  const wishes = params.notifications as SubscriptionFilter;
  const more = await extended(blueprint, wishes, turn);
  const filter = Object.assign(honoured(blueprint, wishes, turn), ...more.map(each => each.filter));
  const _meta = { [SUBSCRIPTION_ID]: turn.id };
  turn.notify('notifications/subscriptions/acknowledged', { _meta, notifications: filter });
  const watcher: Watcher = {
    caller: turn.caller,
    wants: list => filter[FLAGS[list]] === true,
    deliver: (method, changed) => turn.notify(method, { ...changed, _meta }),
  };
  const uris = filter.resourceSubscriptions ?? [];
  blueprint.watchers.add(watcher);
  for (const uri of uris) blueprint.watchers.watch(watcher, uri);
  const ends = more.map(each => each.begin(watcher.deliver));
  return new Promise(resolve => {
    const end = () => {
      blueprint.watchers.remove(watcher, uris);
      for (const each of ends) each();
      blueprint.endings.delete(end);
      resolve(complete(blueprint, { _meta }));
    };
    blueprint.endings.add(end);
    turn.whenEnding?.(end);
    if (turn.signal.aborted) end();
    else turn.signal.addEventListener('abort', end, { once: true });
  });
}

async function extended({ installed }: Blueprint, wishes: SubscriptionFilter, turn: Turn): Promise<Listening[]> {
  const all = await Promise.all(installed.map(each => each.listen?.(wishes, turn)));
  return all.filter(each => each !== undefined);
}

const FLAGS = { tools: 'toolsListChanged', prompts: 'promptsListChanged', resources: 'resourcesListChanged' } as const;

/** What of the wishes will be served: of lists and resources that there are. */
function honoured(blueprint: Blueprint, wishes: SubscriptionFilter, turn: Turn): SubscriptionFilter {
  const filter: SubscriptionFilter = {};
  for (const list of Object.keys(FLAGS) as ListName[]) {
    if (wishes[FLAGS[list]] === true && blueprint[list].offered) filter[FLAGS[list]] = true;
  }
  const uris = [...new Set(wishes.resourceSubscriptions ?? [])].slice(0, MAX_URIS);
  const known = uris.filter(uri => findResource(blueprint, uri, turn) !== undefined);
  if (known.length > 0) filter.resourceSubscriptions = known;
  return filter;
}
