import {
  checkArray,
  checkBoolean,
  checkOptional,
  checkString,
  type JsonObject,
  OUTCOME_UNKNOWN,
  requireKnownOptions,
  requirePresentOptions,
  sleep,
  systemClock,
  TenonError,
  withDetails,
} from '@tenon/base';
import type { Id } from '../../jsonrpc/message.js';
import { LISTS, type ListName } from '../../protocol/lists.js';
import { hasCapability } from '../../protocol/missing-capabilities.js';
import type { SubscriptionFilter } from '../../protocol/params-and-results.js';
import { createNotOfferedError } from '../calls/call-checks.js';
import type { CallContext } from '../calls/call-context.js';
import { isSubResource } from '../calls/response-cache.js';
import type { ChangeEvent, WatchCallOptions, WatchOptions } from '../client.js';
import type { Connection } from '../connection/connection.js';
import { handleNotification } from './notifications.js';
import { subscribe } from './resource-subscriptions.js';

const LISTEN = 'subscriptions/listen';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
/** Maximum number of unread changes before those of sub-resources count as changes of the watched resource. */
const MAX_QUEUED = 1000;
const INITIAL_DELAY = 1000;
const MAX_DELAY = 30_000;
const checkFlag = checkOptional(checkBoolean);
const WATCH_CHECKS = {
  uris: checkOptional(checkArray(checkString)),
  tools: checkFlag,
  prompts: checkFlag,
  resources: checkFlag,
};

/**
 * Reports changes by subscriptions or by `subscriptions/listen`, as the protocol version requires. A broken stream is
 * opened again. Everything watched is then reported as changed, because it may have changed meanwhile.
 */
export async function* watch(
  pipeline: CallContext,
  target: string | WatchOptions,
  watchOptions: WatchCallOptions = {},
): AsyncGenerator<ChangeEvent> {
  const options: WatchOptions = typeof target === 'string' ? { uris: [target] } : target;
  requirePresentOptions<WatchOptions>('watch', options, WATCH_CHECKS);
  requireKnownOptions('watch', watchOptions, { signal: true, isSubscribed: true, onSubscribed: true });
  const uris = new Set(options.uris);
  const queue = new ChangeQueue(watchOptions.signal);
  const unsubscribe = pipeline.emitter.on('change', change => {
    if ('list' in change) {
      if (options[change.list] === true) queue.push(change);
    } else if (uris.has(change.uri)) queue.push(change);
    else {
      const watched = options.uris?.find(uri => isSubResource(change.uri, uri));
      if (watched !== undefined) queue.push(change, { uri: watched });
    }
  });
  const { connections, emitter } = pipeline;
  const stopObserving = emitter.on('state', state => {
    // A watch that waits to connect again would end only after its delay.
    if (state === 'closed') connections.getConnection().catch(error => queue.fail(error));
  });
  const watching = keepWatching(pipeline, options, queue, watchOptions);
  try {
    yield* queue;
  } finally {
    queue.end();
    stopObserving();
    unsubscribe();
    await watching.catch(() => {});
  }
}

async function keepWatching(
  pipeline: CallContext,
  options: WatchOptions,
  queue: ChangeQueue,
  watchOptions: WatchCallOptions,
): Promise<void> {
  const clock = pipeline.options.clock ?? systemClock;
  let delay = INITIAL_DELAY;
  let retryAfterMs = 0;
  for (let isFirst = true; !queue.ended; isFirst = false) {
    const startedAt = clock.elapsed();
    try {
      const connection = await pipeline.connections.getConnection();
      if (!isFirst) resync(pipeline, options);
      const follow = connection.dialect.subscriptions === 'by-listen' ? listenForChanges : subscribeToChanges;
      await follow(pipeline, connection, options, queue, watchOptions);
    } catch (error) {
      if (queue.ended) return;
      // An error of the server ends the watch. A lost connection does not, and neither does a refusal with a time to wait.
      const isFinal =
        TenonError.is(error) &&
        error.retryAfterMs === undefined &&
        (error.rpcCode !== undefined || /^(call\/not-|connection\/closed)/.test(error.code));
      if (isFinal) return queue.fail(error);
      if (TenonError.is(error)) retryAfterMs = Math.min(error.retryAfterMs ?? 0, MAX_DELAY);
      const failure = TenonError.from(error);
      // A watch has no effect at the server, so the advice for calls does not apply.
      const isUnknown = failure.code === OUTCOME_UNKNOWN;
      const hint = 'do nothing, the client watches again';
      pipeline.emitter.emit('error', isUnknown ? withDetails(failure, { hint }) : failure);
    }
    if (clock.elapsed() - startedAt > MAX_DELAY) delay = INITIAL_DELAY;
    await sleep(clock, Math.max(delay, retryAfterMs), queue.signal);
    retryAfterMs = 0;
    delay = Math.min(delay * 2, MAX_DELAY);
  }
}

/** Reports everything watched as changed, because changes may have been missed, and removes it from the cache. */
function resync(pipeline: CallContext, options: WatchOptions): void {
  for (const uri of options.uris ?? []) handleNotification(pipeline, 'notifications/resources/updated', { uri });
  for (const list of LISTS) if (options[list]) handleNotification(pipeline, `notifications/${list}/list_changed`, {});
}

/** Returns the watched lists of whose changes the server does not declare that it notifies. */
function findUndeclaredLists(connection: Connection, options: WatchOptions): ListName[] {
  return LISTS.filter(list => options[list] && !hasCapability(connection.server.capabilities, `${list}.listChanged`));
}

/**
 * Runs one `subscriptions/listen` request until the client or the server ends it. The server may acknowledge fewer
 * resources and lists than requested, and never notifies of the others. A list counts as acknowledged if the server
 * declares that it notifies of its changes.
 */
async function listenForChanges(
  pipeline: CallContext,
  connection: Connection,
  options: WatchOptions,
  queue: ChangeQueue,
  { onSubscribed }: WatchCallOptions,
): Promise<void> {
  const { uris = [] } = options;
  const notifications: SubscriptionFilter = uris.length > 0 ? { resourceSubscriptions: [...uris] } : {};
  const watchedLists = LISTS.filter(list => options[list]);
  for (const list of watchedLists) notifications[`${list}ListChanged`] = true;
  const refusal = new AbortController();
  const abort = () => refusal.abort();
  queue.signal.addEventListener('abort', abort, { once: true });
  if (queue.ended) abort();
  let id: Id | undefined;
  let refused: TenonError | undefined;
  const stopObserving = pipeline.emitter.on('notification', ({ method, params, subscription }) => {
    if (method !== ACKNOWLEDGED || id === undefined || String(subscription) !== String(id)) return;
    const accepted = params.notifications as JsonObject;
    const { resourceSubscriptions } = accepted;
    const others = uris.filter(uri => !Array.isArray(resourceSubscriptions) || !resourceSubscriptions.includes(uri));
    const lists = findUndeclaredLists(connection, options).filter(list => accepted[`${list}ListChanged`] !== true);
    const refusals = others.length + lists.length;
    if (refusals === 0) return onSubscribed?.();
    const error = createNotNotifiedError(connection, others, lists);
    if (refusals < uris.length + watchedLists.length) return pipeline.emitter.emit('error', error);
    refused = error;
    refusal.abort();
  });
  // The timeouts of a client are those of its calls. A watch lasts until it is ended.
  const parameters = {
    signal: refusal.signal,
    idleTimeout: Number.POSITIVE_INFINITY,
    totalTimeout: Number.POSITIVE_INFINITY,
    onRequestId: (requestId: Id) => {
      id = requestId;
    },
  };
  try {
    await connection.call(LISTEN, { notifications } as JsonObject, parameters);
  } catch (error) {
    throw refused ?? error;
  } finally {
    stopObserving();
    queue.signal.removeEventListener('abort', abort);
  }
}

function createNotNotifiedError({ peer }: Connection, uris: readonly string[], lists: readonly ListName[]): TenonError {
  const [first, ...others] = [...uris, ...lists.map(list => `the list of ${list}`)];
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return new TenonError('call/not-offered', `the server does not notify of changes of ${first}${more}`, {
    peer,
    method: LISTEN,
    hint: uris.length > 0 ? 'read the resource again instead' : 'read the list again instead',
    data: lists.length > 0 ? { uris, lists } : { uris },
  });
}

/**
 * Subscribes to resources, and unsubscribes at the end. List changes need no subscription. Lists that the server does
 * not declare are reported as an error, and watched, because some servers notify of them. Runs until the connection or the
 * watch ends.
 */
async function subscribeToChanges(
  pipeline: CallContext,
  connection: Connection,
  options: WatchOptions,
  queue: ChangeQueue,
  { isSubscribed = () => false, onSubscribed }: WatchCallOptions,
): Promise<void> {
  const { uris = [] } = options;
  for (const list of findUndeclaredLists(connection, options)) {
    const notification = `notifications/${list}/list_changed`;
    pipeline.emitter.emit('error', createNotOfferedError(connection, notification, `${list}.listChanged`));
  }
  if (uris.length > 0 && !hasCapability(connection.server.capabilities, 'resources.subscribe')) {
    throw createNotOfferedError(connection, 'resources/subscribe', 'resources.subscribe');
  }
  const releases: (() => Promise<void>)[] = [];
  try {
    for (const uri of uris) releases.push(await subscribe(connection, uri, isSubscribed(uri), queue.signal));
    onSubscribed?.();
    await new Promise<void>(resolve => {
      const report = () => resync(pipeline, options);
      connection.missedListeners.add(report);
      const unsubscribe = pipeline.emitter.on('state', state => {
        if (state !== 'connected') finish();
      });
      const finish = () => {
        unsubscribe();
        connection.missedListeners.delete(report);
        queue.signal.removeEventListener('abort', finish);
        resolve();
      };
      queue.signal.addEventListener('abort', finish, { once: true });
      if (queue.ended || connection.ended) finish();
    });
  } finally {
    for (const release of releases) await release();
  }
}

/**
 * Queue of unread changes. Its size is limited, because it has only one change of each watched list and resource, and a
 * limited number of changes of sub-resources.
 */
class ChangeQueue implements AsyncIterable<ChangeEvent> {
  readonly #controller = new AbortController();
  readonly #changes = new Map<string, ChangeEvent>();
  #wake: (() => void) | undefined;
  #error: unknown;

  readonly #callerSignal: AbortSignal | undefined;
  readonly #abort = () => this.end();

  constructor(signal: AbortSignal | undefined) {
    this.#callerSignal = signal;
    signal?.addEventListener('abort', this.#abort, { once: true });
    if (signal?.aborted) this.end();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Adds a change, or that of the watched resource if too many are unread. */
  push(change: ChangeEvent, watched = change): void {
    const added = this.#changes.size < MAX_QUEUED ? change : watched;
    this.#changes.set(JSON.stringify(added), added);
    this.#wake?.();
  }

  end(): void {
    this.#callerSignal?.removeEventListener('abort', this.#abort);
    this.#controller.abort();
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ChangeEvent> {
    for (;;) {
      for (const [key, change] of this.#changes) {
        this.#changes.delete(key);
        yield change;
      }
      if (this.#error !== undefined) throw this.#error;
      if (this.ended) return;
      await new Promise<void>(wake => {
        this.#wake = wake;
        if (this.#changes.size > 0 || this.ended) wake();
      });
    }
  }
}
