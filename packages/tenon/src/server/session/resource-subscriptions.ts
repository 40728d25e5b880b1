import { INVALID_REQUEST, rpcError } from '@tenon/base';
import type { SessionChange } from '../../protocol/request-handler.js';
import type { Subscriptions } from '../request-context.js';
import type { ResourceSession, ResourceWatcher } from '../server-runtime.js';

const MAX_SUBSCRIPTIONS = 1000;

/** The resources that one session subscribed to. Only an active session gets notifications. */
export class ResourceSubscriptions implements Subscriptions {
  readonly #onStateChange: ((change: SessionChange) => void) | undefined;
  readonly #watcher: ResourceWatcher;
  readonly #session: ResourceSession;
  #uris: Set<string> | undefined;
  #isActive: boolean;

  constructor(
    watcher: ResourceWatcher,
    session: ResourceSession,
    isActive: boolean,
    onStateChange?: (change: SessionChange) => void,
  ) {
    this.#isActive = isActive;
    this.#watcher = watcher;
    this.#session = session;
    this.#onStateChange = onStateChange;
  }

  get uris(): Iterable<string> {
    return this.#uris ?? [];
  }

  /** Subscribes to a resource because the client requested it. */
  add(uri: string): void {
    this.#add(uri);
    this.#onStateChange?.(state => ({ ...state, subscribedUris: [...new Set([...state.subscribedUris, uri])] }));
  }

  remove(uri: string): void {
    this.#remove(uri);
    this.#onStateChange?.(state => ({ ...state, subscribedUris: state.subscribedUris.filter(each => each !== uri) }));
  }

  #add(uri: string): void {
    this.#uris ??= new Set();
    if (this.#uris.size >= MAX_SUBSCRIPTIONS && !this.#uris.has(uri))
      throw rpcError(
        INVALID_REQUEST,
        `Invalid request: at most ${MAX_SUBSCRIPTIONS} subscriptions are allowed. Unsubscribe from others first`,
      );
    this.#uris.add(uri);
    if (this.#isActive) this.#watcher.subscribe(this.#session, uri);
  }

  #remove(uri: string): void {
    this.#uris?.delete(uri);
    if (this.#isActive) this.#watcher.unsubscribe(this.#session, uri, false);
  }

  /** Replaces the subscriptions by these resources. */
  replace(uris: readonly string[]): void {
    const wanted = new Set(uris);
    for (const uri of [...this.uris]) if (!wanted.has(uri)) this.#remove(uri);
    for (const uri of wanted) if (!this.#uris?.has(uri)) this.#add(uri);
  }

  setActive(isActive: boolean): void {
    this.#isActive = isActive;
    for (const uri of this.uris)
      if (isActive) this.#watcher.subscribe(this.#session, uri);
      else this.#watcher.unsubscribe(this.#session, uri, true);
  }
}
