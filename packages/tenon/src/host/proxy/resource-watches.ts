import { rpcError, TenonError } from '../../jsonrpc/error.js';
import { INVALID_REQUEST } from '../../jsonrpc/error-codes.js';
import { getDialect } from '../../protocol/versions/index.js';
import type { ClientSession } from '../../server/request-context.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';

/** Maximum number of subscriptions of one session. */
const MAX_SUBSCRIPTIONS = 1000;

const resourceWatches = new WeakMap<UpstreamConnection, Map<string, ResourceWatch>>();

interface ResourceWatch {
  readonly listeners: Set<{ readonly onChange: () => void }>;
  readonly stop: () => void;
}

/**
 * Watches a resource on any protocol version of its server. Returns a function that ends the watch. Each connection
 * watches a resource only once, because in older versions one `resources/unsubscribe` ends all subscriptions to a URI.
 */
export function watchResource(
  connection: UpstreamConnection,
  uri: string,
  onChange: () => void,
  onError: (error: TenonError) => void,
): () => void {
  const all = resourceWatches.get(connection) ?? new Map<string, ResourceWatch>();
  resourceWatches.set(connection, all);
  const watch = all.get(uri) ?? startWatch(connection, uri, () => all.get(uri) === watch && all.delete(uri), onError);
  all.set(uri, watch);
  const listener = { onChange };
  watch.listeners.add(listener);
  return () => {
    if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
    if (all.get(uri) === watch) all.delete(uri);
    watch.stop();
  };
}

function startWatch(
  connection: UpstreamConnection,
  uri: string,
  onEnd: () => void,
  onError: (error: TenonError) => void,
): ResourceWatch {
  const listeners: ResourceWatch['listeners'] = new Set();
  const controller = new AbortController();
  const release = connection.keepOpen();
  const follow = async () => {
    const client = await connection.getClient();
    for await (const _ of client.watch(uri, { signal: controller.signal })) {
      for (const each of [...listeners]) each.onChange();
    }
  };
  follow()
    .catch(error => controller.signal.aborted || onError(TenonError.from(error)))
    .finally(() => {
      release();
      onEnd();
    });
  return { listeners, stop: () => controller.abort() };
}

/** Subscriptions of sessions, in protocol versions with `resources/subscribe`. */
export class SessionSubscriptions {
  readonly #onError: (error: TenonError) => void;
  readonly #bySession = new WeakMap<ClientSession, Map<string, () => void>>();

  constructor(onError: (error: TenonError) => void) {
    this.#onError = onError;
  }

  /**
   * Adds a subscription. Rejects if the server rejects it.
   *
   * @param outer Public URI of the resource.
   */
  async add(session: ClientSession, outer: string, connection: UpstreamConnection, uri: string): Promise<void> {
    const own = this.#getSubscriptions(session);
    if (own.has(outer)) return;
    if (own.size >= MAX_SUBSCRIPTIONS)
      throw rpcError(
        INVALID_REQUEST,
        `Invalid request: at most ${MAX_SUBSCRIPTIONS} subscriptions are allowed. Unsubscribe from others first`,
      );
    const client = await connection.getClient();
    const asks = getDialect(client.server.protocolVersion)?.subscriptions === 'by-subscribe';
    // The caller receives an error of this request. The watch reports later errors.
    if (asks) await client.call('resources/subscribe', { uri });
    if (own.has(outer)) return;
    const tell = () => session.notify('notifications/resources/updated', { uri: outer });
    own.set(outer, watchResource(connection, uri, tell, this.#onError));
  }

  remove(session: ClientSession, outer: string): void {
    const own = this.#bySession.get(session);
    own?.get(outer)?.();
    own?.delete(outer);
  }

  #getSubscriptions(session: ClientSession): Map<string, () => void> {
    const known = this.#bySession.get(session);
    if (known) return known;
    const own = new Map<string, () => void>();
    this.#bySession.set(session, own);
    session.onEnd(() => {
      for (const end of own.values()) end();
      own.clear();
    });
    return own;
  }
}
