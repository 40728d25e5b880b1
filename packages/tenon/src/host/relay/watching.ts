import { dialectOf } from '../../dialects/index.js';
import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import type { Session } from '../../server/turn.js';
import type { Line } from '../upstream/line.js';

/** How many URIs one session may be subscribed to. */
const MAX_SUBSCRIPTIONS = 1000;

/** Tells of each change of a resource, in either manner of its server. Returns what ends that. */
export function watchResource(
  line: Line,
  uri: string,
  changed: () => void,
  problem: (error: TenonError) => void,
): () => void {
  const controller = new AbortController();
  const letGo = line.hold();
  const watch = async () => {
    const client = await line.client();
    for await (const _ of client.watch(uri, { signal: controller.signal })) changed();
  };
  watch()
    .catch(error => controller.signal.aborted || problem(TenonError.from(error)))
    .finally(letGo);
  return () => controller.abort();
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
