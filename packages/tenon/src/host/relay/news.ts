import type { Clock } from '../../jsonrpc/clock.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { Session } from '../../server/turn.js';
import type { Audience } from '../audience.js';

export type ListName = 'tools' | 'prompts' | 'resources';
export type Deliver = (method: string, params: JsonObject) => void;

/** How long changes of one list are gathered before they are told as one, in milliseconds. */
const GATHER = 100;
/** How long after a list was told to have changed it is told again at the earliest, in milliseconds. */
const PACE = 250;

interface Listener {
  readonly audience: Audience;
  readonly lists: ReadonlySet<ListName>;
  readonly deliver: Deliver;
}

interface Pending {
  told: number;
  off: (() => void) | undefined;
}

/** Tells audiences that lists have changed: once for many changes, and not more often than a client can take. */
export class News {
  readonly #clock: Clock;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #pending = new Map<string, Pending>();
  readonly #attended = new WeakSet<Session>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Tells this listener of these lists. Returns what ends that. */
  listen(audience: Audience, lists: ReadonlySet<ListName>, deliver: Deliver): () => void {
    const { key } = audience;
    const all = this.#listeners.get(key) ?? new Set();
    const listener = { audience, lists, deliver };
    this.#listeners.set(key, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && this.#listeners.get(key) === all) this.#listeners.delete(key);
    };
  }

  /** A session hears of all lists, for as long as it lives. */
  attend(audience: Audience): void {
    const { session } = audience;
    if (session === undefined || this.#attended.has(session)) return;
    this.#attended.add(session);
    session.whenOver(this.listen(audience, ALL, (method, params) => session.tell(method, params)));
  }

  changed({ key }: Audience, list: ListName): void {
    this.#changed(key, list);
  }

  /** Tells all audiences for which this holds. */
  changedWhere(holds: (audience: Audience) => boolean, list: ListName): void {
    for (const [key, [first]] of [...this.#listeners]) if (first && holds(first.audience)) this.#changed(key, list);
  }

  /** All audiences hear of it. */
  changedForAll(list: ListName): void {
    for (const key of [...this.#listeners.keys()]) this.#changed(key, list);
  }

  close(): void {
    for (const { off } of this.#pending.values()) off?.();
    this.#pending.clear();
    this.#listeners.clear();
  }

  #changed(key: string, list: ListName): void {
    if (!this.#listeners.has(key)) return;
    const id = `${list} ${key}`;
    const pending = this.#pending.get(id) ?? { told: Number.NEGATIVE_INFINITY, off: undefined };
    this.#pending.set(id, pending);
    if (pending.off) return;
    const wait = Math.max(GATHER, pending.told + PACE - this.#clock.now());
    pending.off = this.#clock.after(wait, () => {
      pending.off = undefined;
      pending.told = this.#clock.now();
      this.#clock.after(PACE, () => pending.off ?? this.#pending.delete(id));
      this.#tell(key, list);
    });
  }

  #tell(key: string, list: ListName): void {
    for (const { lists, deliver } of [...(this.#listeners.get(key) ?? [])]) {
      if (lists.has(list)) deliver(`notifications/${list}/list_changed`, {});
    }
  }
}

const ALL: ReadonlySet<ListName> = new Set(['tools', 'prompts', 'resources']);
