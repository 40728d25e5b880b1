import {
  type Clock,
  hashSha256,
  type JsonObject,
  type PeriodicRun,
  runPeriodically,
  type Stores,
  TenonError,
  toCanonicalJson,
  toTypedValues,
  type Values,
} from '@tenon/base';
import {
  createSessionSharing,
  type ServerSessionState,
  type SessionSharing,
  SharedChanges,
  type SharedServerSession,
} from 'tenon/host-internals';
import { hashCallerValues } from './caller-values.js';
import type { ConnectionScope } from './connection-scope.js';
import { InputRequestForwarding, type InputRequestTaker } from './input-request-forwarding.js';
import { MessageRateLimit } from './message-rate-limit.js';

declare const crypto: { randomUUID(): string };

const KEY_PREFIX = 'upstream/';
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;

/** Name of the change of everything in a session. */
const ANYTHING = '';

export interface SharedSessionsOptions {
  readonly stores: Stores;
  /** Identifies the host in keys, because other hosts may use the same stores. */
  readonly scope: string;
  readonly clock: Clock;
  /** Lifetime of a session without connections, in milliseconds. */
  readonly ttl: number;
  readonly onError: (error: TenonError) => void;
}

/** Connection to a session at a server, for the processes that use it. */
export interface SharedSessionHandle extends SharedServerSession {
  /** Option of the client that uses the session. */
  readonly sharing: SessionSharing;
  /** Makes a connection take the input requests that other processes received in the session. */
  takeInputRequests(taker: InputRequestTaker): void;
  /**
   * Passes an input request to another process with an active call in the session. Returns `undefined` if there is none.
   */
  forwardInputRequest(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Ends the extension of the lifetime. The session is deleted if its caller has ended it. */
  close(): void;
}

type SharedSessionListener = Parameters<SharedServerSession['subscribe']>[0];

/**
 * Sessions at servers that several processes of a host use. Servers may bind resources, tasks and any other state to a
 * session, so the requests of one caller go to one session, from whichever process.
 */
export class SharedSessions {
  readonly #options: SharedSessionsOptions;
  readonly #values: Values<ServerSessionState>;
  readonly #changes: SharedChanges;
  readonly #inputRequests: InputRequestForwarding;
  readonly #listeners = new Map<string, Set<SharedSessionListener>>();
  readonly #process = crypto.randomUUID().slice(0, 8);
  #count = 0;
  #stopProgress: (() => void) | undefined;

  constructor(options: SharedSessionsOptions) {
    const { stores, scope, clock, onError } = options;
    this.#options = options;
    this.#values = toTypedValues<ServerSessionState>(stores.values);
    this.#inputRequests = new InputRequestForwarding(options);
    this.#changes = new SharedChanges({ ...stores, scope: `${scope}-servers` }, clock, onError, ({ kind, name }) => {
      const [key = '', uri = ''] = JSON.parse(name) as string[];
      this.#deliver(key, kind === 'resource' ? uri : undefined, kind === 'list' ? uri : undefined);
    });
  }

  /** Returns the session of a caller at a server. Returns `undefined` if no other process can continue it. */
  open(server: string, url: string, scope: ConnectionScope): SharedSessionHandle | undefined {
    const { session } = scope;
    if (session !== undefined && session.sharedId === undefined) return undefined;
    const bound = scope.values === undefined ? [] : [hashCallerValues(scope.values)];
    const id = session ? [session.sharedId, ...bound] : ['all', scope.key];
    const key = KEY_PREFIX + hashSha256(toCanonicalJson([this.#options.scope, server, url, ...id]));
    this.#count += 1;
    return this.#createHandle(key, `${this.#process}.${this.#count.toString(36)}.`, scope);
  }

  close(): void {
    this.#changes.close();
    this.#inputRequests.close();
    this.#stopProgress?.();
  }

  #createHandle(key: string, requestIdPrefix: string, { session }: ConnectionScope): SharedSessionHandle {
    const { stores, clock, ttl, onError } = this.#options;
    const progressLimit = new MessageRateLimit(clock, () => {});
    const report = (error: unknown) => onError(TenonError.from(error));
    let lost: string | undefined;
    let known: ServerSessionState | undefined;
    let isCallerGone = false;
    let extension: PeriodicRun | undefined;
    let removeTaker = () => {};
    session?.onEnd(() => {
      isCallerGone = session.isContinued !== true;
    });
    const use = (state: ServerSessionState): ServerSessionState => {
      known = state;
      // The lifetime is extended while this process has a connection.
      extension ??= runPeriodically({ clock, interval: ttl / 3, onError: report }, () => this.#extend(key, known));
      return state;
    };
    const handle: Omit<SharedSessionHandle, 'sharing'> = {
      requestIdPrefix,
      find: async () => {
        const stored = await this.#values.get(key);
        return stored === undefined || stored.value.id === lost ? undefined : use(stored.value);
      },
      store: async state => {
        for (;;) {
          const stored = await this.#values.get(key);
          if (stored !== undefined && stored.value.id !== lost) return use(stored.value);
          if (await this.#values.put(key, state, { version: stored?.version ?? 0, ttl })) return use(state);
        }
      },
      markLost: id => {
        lost = id;
      },
      isContinued: () => !isCallerGone,
      publish: (method, params) => {
        if (method === 'notifications/progress') {
          if (progressLimit.tryConsume()) stores.bus.publish(this.#progressTopic, { key, params }).catch(report);
          return;
        }
        const [, list] = LIST_CHANGED.exec(method) ?? [];
        if (list !== undefined) this.#changes.publish({ kind: 'list', name: JSON.stringify([key, list]) });
        else this.#changes.publish({ kind: 'resource', name: JSON.stringify([key, String(params.uri)]) });
      },
      publishMissed: () => this.#changes.publish({ kind: 'list', name: JSON.stringify([key, ANYTHING]) }),
      subscribe: listener => this.#subscribe(key, listener),
      takeInputRequests: taker => {
        removeTaker = this.#inputRequests.addTaker(key, taker);
      },
      forwardInputRequest: (...request) => this.#inputRequests.forward(key, ...request),
      close: () => {
        removeTaker();
        void extension?.stop();
        if (isCallerGone) this.#values.delete(key).catch(report);
      },
    };
    return { ...handle, sharing: createSessionSharing(handle) };
  }

  async #extend(key: string, known: ServerSessionState | undefined): Promise<void> {
    const stored = await this.#values.get(key);
    if (stored === undefined || stored.value.id !== known?.id) return;
    await this.#values.put(key, stored.value, { version: stored.version, ttl: this.#options.ttl });
  }

  get #progressTopic(): string {
    return `progress/${this.#options.scope}`;
  }

  #subscribe(key: string, listener: SharedSessionListener): () => void {
    this.#changes.listen();
    this.#stopProgress ??= this.#options.stores.bus.subscribe(this.#progressTopic, ({ key, params }) => {
      for (const each of [...(this.#listeners.get(String(key)) ?? [])])
        each.onReceived('notifications/progress', params as JsonObject);
    });
    const all = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.#listeners.get(key) === all) this.#listeners.delete(key);
    };
  }

  /** Delivers a change to the connections of this process: of a resource, of a list, or of anything. */
  #deliver(key: string, uri: string | undefined, list: string | undefined): void {
    for (const listener of [...(this.#listeners.get(key) ?? [])]) {
      if (uri !== undefined) listener.onReceived('notifications/resources/updated', { uri });
      else if (list !== ANYTHING) listener.onReceived(`notifications/${list}/list_changed`, {});
      else listener.onMissed();
    }
  }
}
