import { type Clock, systemClock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { SubscriptionFilter } from '../model/shapes.js';
import type { Caller } from './caller.js';
import type { Change, Watch } from './client.js';
import { heard } from './hearing.js';
import type { Link } from './link.js';

const MAX_WAITING = 1000;
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/**
 * Tells of changes, in the manner of the server's revision: by subscribing, or by listening. When a stream breaks it is
 * opened again, and what is watched is reported as changed, because it may have been meanwhile.
 */
export async function* watch(
  caller: Caller,
  what: string | Watch,
  signal: AbortSignal | undefined,
): AsyncGenerator<Change> {
  const wishes: Watch = typeof what === 'string' ? { uris: [what] } : what;
  const queue = new Queue(signal);
  const stop = caller.emitter.on('change', change => {
    if (isWished(wishes, change)) queue.push(change);
  });
  const watching = keepWatching(caller, wishes, queue);
  try {
    yield* queue;
  } finally {
    queue.end();
    stop();
    await watching.catch(() => {});
  }
}

function isWished({ uris = [], ...lists }: Watch, change: Change): boolean {
  return 'uri' in change ? uris.includes(change.uri) : lists[change.list] === true;
}

async function keepWatching(caller: Caller, wishes: Watch, queue: Queue): Promise<void> {
  const clock = caller.options.clock ?? systemClock;
  let pause = FIRST_PAUSE;
  for (let first = true; !queue.ended; first = false) {
    const since = clock.now();
    try {
      const link = await caller.lifeline.link();
      if (!first) resync(caller, wishes);
      if (link.dialect.watching === 'by-listen') await listened(link, wishes, queue);
      else await subscribed(caller, link, wishes, queue);
    } catch (error) {
      if (queue.ended) return;
      if (isFinal(error)) return queue.fail(error);
      caller.emitter.emit('problem', TenonError.from(error));
    }
    if (clock.now() - since > LONGEST_PAUSE) pause = FIRST_PAUSE;
    await queue.endOr(clock, pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** An error of the server's own is its last word; a broken road is not. */
function isFinal(error: unknown): boolean {
  return TenonError.is(error) && (error.rpc !== undefined || /^(call\/not-|connection\/closed)/.test(error.code));
}

/** What is watched may have changed unnoticed: what is cached of it is forgotten too. */
function resync(caller: Caller, { uris = [], tools, prompts, resources }: Watch): void {
  for (const uri of uris) heard(caller, 'notifications/resources/updated', { uri });
  if (tools) heard(caller, 'notifications/tools/list_changed', {});
  if (prompts) heard(caller, 'notifications/prompts/list_changed', {});
  if (resources) heard(caller, 'notifications/resources/list_changed', {});
}

/** One listening: lasts until either end ends it. */
async function listened(link: Link, { uris, tools, prompts, resources }: Watch, queue: Queue): Promise<void> {
  const notifications: SubscriptionFilter = {
    ...(tools ? { toolsListChanged: true } : {}),
    ...(prompts ? { promptsListChanged: true } : {}),
    ...(resources ? { resourcesListChanged: true } : {}),
    ...(uris && uris.length > 0 ? { resourceSubscriptions: [...uris] } : {}),
  };
  const sending = { signal: queue.signal, idleTimeout: Number.POSITIVE_INFINITY };
  await link.call('subscriptions/listen', { notifications } as JsonObject, sending);
}

/** Subscribes, and unsubscribes at the end; list changes come by themselves. Lasts until the link or the watch ends. */
async function subscribed(caller: Caller, link: Link, { uris = [] }: Watch, queue: Queue): Promise<void> {
  if (uris.length > 0 && !link.offers('resources.subscribe')) {
    throw new TenonError('call/not-offered', 'the server does not offer resources.subscribe', {
      peer: link.peer,
      method: 'resources/subscribe',
    });
  }
  for (const uri of uris) await link.call('resources/subscribe', { uri }, { signal: queue.signal });
  await new Promise<void>(resolve => {
    const off = caller.emitter.on('state', state => {
      if (state !== 'connected') done();
    });
    const done = () => {
      off();
      queue.signal.removeEventListener('abort', done);
      resolve();
    };
    queue.signal.addEventListener('abort', done, { once: true });
    if (queue.ended || link.ended) done();
  });
  if (link.ended) return;
  for (const uri of uris) await link.call('resources/unsubscribe', { uri }).catch(() => {});
}

/** What is watched for and not yet looked at. Bounded: of many changes to one thing the last one tells all. */
class Queue implements AsyncIterable<Change> {
  readonly #controller = new AbortController();
  readonly #waiting = new Map<string, Change>();
  #wake: (() => void) | undefined;
  #error: unknown;

  readonly #given: AbortSignal | undefined;
  readonly #abort = () => this.end();

  constructor(signal: AbortSignal | undefined) {
    this.#given = signal;
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.end();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#controller.signal.aborted;
  }

  push(change: Change): void {
    if (this.#waiting.size < MAX_WAITING) this.#waiting.set(JSON.stringify(change), change);
    this.#wake?.();
  }

  end(): void {
    this.#given?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Change> {
    for (;;) {
      for (const [key, change] of this.#waiting) {
        this.#waiting.delete(key);
        yield change;
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.ended) return;
      await new Promise<void>(wake => {
        this.#wake = wake;
        if (this.#waiting.size > 0 || this.ended) wake();
      });
    }
  }

  /** Waits, but not beyond the end. */
  endOr(clock: Clock, ms: number): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise(resolve => {
      const rest = () => {
        off();
        this.signal.removeEventListener('abort', rest);
        resolve();
      };
      const off = clock.after(ms, rest);
      this.signal.addEventListener('abort', rest, { once: true });
    });
  }
}
