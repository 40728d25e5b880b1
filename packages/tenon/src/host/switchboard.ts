import { getSignInRequest } from '../auth/sign-in-required.js';
import type { Clock } from '../jsonrpc/clock.js';
import { INTERNAL_ERROR } from '../jsonrpc/codes.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Cacheable } from '../model/shapes.js';
import type { Audience } from './audience.js';
import type { Line } from './upstream/line.js';
import { type Kind, type List, strictest } from './upstream/lists.js';
import { shown } from './upstream/shown.js';
import type { Upstream } from './upstream/upstream.js';
import { withinTime } from './within-time.js';

/** A server whose part of a list is missing, and why. */
export interface Absent {
  readonly server: string;
  readonly why: string;
  /** It waits for the caller to sign in. */
  readonly signIn?: true;
}

/** One server's part of a list. */
export interface Part<K extends Kind> {
  readonly server: string;
  readonly line: Line;
  readonly list: List<K>;
}

/** The parts of a list, in the order in which the servers were named, and what is missing. */
export interface Gathered<K extends Kind> extends Cacheable {
  readonly parts: readonly Part<K>[];
  readonly absent: readonly Absent[];
}

/** All servers, and the lines to them. */
export class Switchboard {
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly servers: readonly string[];
  /** The servers of the configuration that are not used. */
  readonly disabled: readonly string[];
  readonly clock: Clock;
  readonly #gatherTimeout: number;
  /** When readings began that no list waits for twice. */
  readonly #begun = new WeakMap<Promise<unknown>, number>();
  readonly #late: (audience: Audience, kind: Kind) => void;

  /** `late`: told when a part comes that a list did not wait for any longer. */
  constructor(
    upstreams: ReadonlyMap<string, Upstream>,
    clock: Clock,
    gatherTimeout: number,
    late: (audience: Audience, kind: Kind) => void,
    disabled: readonly string[] = [],
  ) {
    this.disabled = disabled;
    this.upstreams = upstreams;
    this.servers = [...upstreams.keys()];
    this.clock = clock;
    this.#gatherTimeout = gatherTimeout;
    this.#late = late;
  }

  line(server: string, audience: Audience): Line {
    const upstream = this.upstreams.get(server);
    if (upstream) return upstream.line(audience);
    throw new TenonError('host/no-such-server', `there is no server "${server}"`, {
      expected: this.servers.join(', ') || 'none: none is configured',
    });
  }

  get lines(): Line[] {
    return [...this.upstreams.values()].flatMap(({ lines }) => lines);
  }

  /** One list of all servers. One that is down or slow does not hold up the others: what is missing is said. */
  async gather<K extends Kind>(kind: K, audience: Audience): Promise<Gathered<K>> {
    const parts = await Promise.all(this.servers.map(server => this.#part(kind, server, audience)));
    const there = parts.filter(part => 'list' in part);
    const absent = parts.filter(part => 'why' in part);
    if (there.length === 0 && absent.length > 0 && !absent.some(({ signIn }) => signIn)) throw nobodyThere(absent);
    const hints = there.reduce<Cacheable>((before, { list }) => strictest(before, list), {});
    // What is missing may be there the next time.
    return { parts: there, absent, ...(absent.length > 0 ? { ...hints, ttlMs: 0 } : hints) };
  }

  async #part<K extends Kind>(kind: K, server: string, audience: Audience): Promise<Part<K> | Absent> {
    try {
      const line = this.line(server, audience);
      const reading = line.lists.get(kind);
      const isFirst = !this.#begun.has(reading);
      const list = await this.#inTime(reading);
      if (list) return { server, line, list };
      if (isFirst) reading.then(() => this.#late(audience, kind)).catch(() => {});
      return { server, why: `it has not answered within ${this.#gatherTimeout} ms; it is asked for still` };
    } catch (error) {
      if (getSignInRequest(error)) return { server, why: 'it waits for the user to sign in', signIn: true };
      return { server, why: shown(TenonError.from(error)) };
    }
  }

  /** What was waited for once has had its time. */
  #inTime<T>(work: Promise<T>): Promise<T | undefined> {
    const now = this.clock.now();
    const begun = this.#begun.get(work) ?? now;
    this.#begun.set(work, begun);
    return withinTime(this.clock, Math.max(0, begun + this.#gatherTimeout - now), work);
  }
}

function nobodyThere(absent: readonly Absent[]): TenonError {
  const [first] = absent;
  const who = absent.length === 1 ? `The server "${first?.server}" is not` : `None of the ${absent.length} servers is`;
  return rpcError(INTERNAL_ERROR, `${who} there: ${first?.why}`, { absent } as unknown as JsonObject);
}
