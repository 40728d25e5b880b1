import type { JsonObject } from '@tenon/base';
import type { SubscriptionView } from '@tenon/console/api';
import { type Client, TenonError } from 'tenon';
import { createUsageError } from '../usage-error.js';
import type { ChangeFeed } from './change-feed.js';
import { createErrorView } from './console-calls.js';
import { dropOldest } from './drop-oldest.js';

/** Maximum number of changes that a subscription shows. */
const MAX_CHANGES = 50;
/** Maximum number of subscriptions. The oldest ended ones are dropped. */
const MAX_SUBSCRIPTIONS = 100;

interface SubscriptionRecord {
  view: SubscriptionView;
  readonly abort: AbortController;
}

/** Watched resources and lists of all servers, with the last changes of each. */
export class Subscriptions {
  readonly #feed: ChangeFeed;
  readonly #records = new Map<number, SubscriptionRecord>();
  #last = 0;

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** Starts to watch. Returns at once. */
  start(client: Client, server: string, { uris, tools, prompts, resources }: JsonObject): SubscriptionView {
    const watched = {
      uris: Array.isArray(uris) ? uris.filter(uri => typeof uri === 'string' && uri !== '').map(String) : [],
      tools: tools === true,
      prompts: prompts === true,
      resources: resources === true,
    };
    const lists = (['tools', 'prompts', 'resources'] as const).filter(list => watched[list]);
    if (watched.uris.length === 0 && lists.length === 0)
      throw createUsageError('nothing to watch', 'choose a resource or a list');
    this.#last += 1;
    const view: SubscriptionView = {
      id: this.#last,
      server,
      uris: watched.uris,
      lists,
      startedAt: Date.now(),
      isActive: true,
      count: 0,
      changes: [],
      error: null,
    };
    const record: SubscriptionRecord = { view, abort: new AbortController() };
    this.#records.set(view.id, record);
    for (const id of dropOldest(this.#records, MAX_SUBSCRIPTIONS, each => each.view.isActive))
      this.#feed.delete(`subscription ${id}`);
    this.#change(record, {});
    void this.#watch(record, client, watched);
    return view;
  }

  stop(id: number): void {
    this.#records.get(id)?.abort.abort();
  }

  async #watch(record: SubscriptionRecord, client: Client, watched: object): Promise<void> {
    const { signal } = record.abort;
    try {
      for await (const change of client.watch(watched, { signal })) {
        const { count, changes } = record.view;
        const changed = 'uri' in change ? change.uri : `list of ${change.list}`;
        this.#change(record, {
          count: count + 1,
          changes: [{ time: Date.now(), changed }, ...changes].slice(0, MAX_CHANGES),
        });
      }
      this.#change(record, { isActive: false });
    } catch (thrown) {
      this.#change(record, { isActive: false, error: createErrorView(TenonError.from(thrown)) });
    }
  }

  #change(record: SubscriptionRecord, changes: Partial<SubscriptionView>): void {
    record.view = { ...record.view, ...changes };
    this.#feed.set(`subscription ${record.view.id}`, { type: 'subscription', subscription: record.view });
  }
}
