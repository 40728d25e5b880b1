import { dialectOf } from '../../dialects/index.js';
import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import type { Session } from '../../server/turn.js';
import type { Line } from '../upstream/line.js';

/** How many URIs one session may be subscribed to. */
const MAX_SUBSCRIPTIONS = 1000;

const watches = new WeakMap<Line, Map<string, Watch>>();

interface Watch {
  readonly listeners: Set<{ readonly changed: () => void }>;
  readonly end: () => void;
}

/**
 * Tells of each change of a resource, in either manner of its server. Returns what ends that. A resource is watched once on each
 * line, because a server of the older versions ends all of its subscriptions to a URI with one request.
 */
export function watchResource(
  line: Line,
  uri: string,
  changed: () => void,
  problem: (error: TenonError) => void,
): () => void {
  const all = watches.get(line) ?? new Map<string, Watch>();
  watches.set(line, all);
  const watch = all.get(uri) ?? beginWatch(line, uri, () => all.get(uri) === watch && all.delete(uri), problem);
  all.set(uri, watch);
  const listener = { changed };
  watch.listeners.add(listener);
  return () => {
    if (!watch.listeners.delete(listener) || watch.listeners.size > 0) return;
    if (all.get(uri) === watch) all.delete(uri);
    watch.end();
  };
}

function beginWatch(line: Line, uri: string, onEnd: () => void, problem: (error: TenonError) => void): Watch {
  const listeners: Watch['listeners'] = new Set();
  const controller = new AbortController();
  const letGo = line.hold();
  const follow = async () => {
    const client = await line.client();
    for await (const _ of client.watch(uri, { signal: controller.signal })) {
      for (const each of [...listeners]) each.changed();
    }
  };
  follow()
    .catch(error => controller.signal.aborted || problem(TenonError.from(error)))
    .finally(() => {
      letGo();
      onEnd();
    });
  return { listeners, end: () => controller.abort() };
}

/** What sessions are subscribed to, where that is done by requests. */
export class Subscriptions {
  readonly #problem: (error: TenonError) => void;
  readonly #of = new WeakMap<Session, Map<string, () => void>>();

  constructor(problem: (error: TenonError) => void) {
    this.#problem = problem;
  }

  /** `outer` is what the session calls it. Rejects as the server would. */
  async add(session: Session, outer: string, line: Line, uri: string): Promise<void> {
    const own = this.#ownOf(session);
    if (own.has(outer)) return;
    if (own.size >= MAX_SUBSCRIPTIONS)
      throw rpcError(INVALID_REQUEST, `Invalid request: more than ${MAX_SUBSCRIPTIONS} subscriptions`);
    const client = await line.client();
    const asks = dialectOf(client.server.revision)?.watching === 'by-subscribe';
    // What the server has against it is the answer; what comes later is seen to by the watch.
    if (asks) await client.call('resources/subscribe', { uri });
    if (own.has(outer)) return;
    const tell = () => session.tell('notifications/resources/updated', { uri: outer });
    own.set(outer, watchResource(line, uri, tell, this.#problem));
  }

  remove(session: Session, outer: string): void {
    const own = this.#of.get(session);
    own?.get(outer)?.();
    own?.delete(outer);
  }

  #ownOf(session: Session): Map<string, () => void> {
    const known = this.#of.get(session);
    if (known) return known;
    const own = new Map<string, () => void>();
    this.#of.set(session, own);
    session.whenOver(() => {
      for (const end of own.values()) end();
      own.clear();
    });
    return own;
  }
}
