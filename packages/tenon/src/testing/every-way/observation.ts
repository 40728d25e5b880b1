import type { JsonObject } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../../model/capabilities.js';
import { isTerminal, type TaskStatus } from '../../model/tasks.js';
import type { Deed } from './deed.js';
import type { Replica } from './replica.js';
import type { Road } from './roads.js';

/** What can be seen from outside: a question that reached the client, a step that ran. */
export type Seen =
  | { readonly question: string; readonly params: JsonObject }
  | { readonly step: string; readonly threw?: string };

interface Event {
  seen: Seen;
  /** In which process. */
  readonly replica: Replica;
  readonly n: number;
  done: boolean;
  /** What came of it is with the client. */
  kept: boolean;
  /** It was going on, or was not yet remembered, when its process was lost: it comes again, and counts then. */
  cut: boolean;
}

/** All that is seen of a handler in one way. */
export class Observation {
  readonly road: Road;
  readonly #events: Event[] = [];
  effects: readonly unknown[] = [];
  result: JsonObject | undefined;
  error: { readonly code: number | undefined; readonly message: string } | undefined;
  /** What the handler came to, in the entry that came to an end. */
  deeds: readonly Deed[] = [];
  /** What that entry returned or threw. */
  outcome: unknown;
  /** How often the handler was entered. */
  entries = 0;
  /** Whether the handler returned questions, and has a plan of its own for each entry. */
  returns = false;
  /** Whether the handler did two things at once: then their order is not its own. */
  overlaps = false;
  /** What the client said that it can be asked. */
  capabilities: ClientCapabilities = {};
  lacks: readonly string[] = [];
  /** Nobody waits for the way any longer: it came to its end, or went wrong. */
  onOver: () => void = () => {};

  constructor(road: Road) {
    this.road = road;
  }

  get seen(): readonly Seen[] {
    return this.#events.filter(({ cut }) => !cut).map(({ seen }) => seen);
  }

  get cuts(): number {
    return this.#events.filter(({ cut }) => cut).length;
  }

  /** A question reached the client. */
  async asked(question: string, params: JsonObject, replica: Replica, answer: () => unknown): Promise<never> {
    return replica.alive(async () => {
      const { _meta, ...plain } = params;
      this.#events.push({ seen: { question, params: plain }, replica, n: 0, done: true, kept: false, cut: false });
      return (await answer()) as never;
    });
  }

  /** A step runs. */
  async ran<T>(step: string, n: number, replica: Replica, work: () => T | Promise<T>): Promise<T> {
    const event: Event = { seen: { step }, replica, n, done: false, kept: false, cut: false };
    this.#events.push(event);
    try {
      return await work();
    } catch (error) {
      event.seen = { step, threw: String(error instanceof Error ? error.message : error) };
      throw error;
    } finally {
      event.done = true;
    }
  }

  /** A round was answered: what was done so far is in the state that its client was given. */
  answered(): void {
    for (const event of this.#events) event.kept = event.done;
  }

  /** A process was lost, and this is what was written of its call: what is not in there will happen once more. */
  lost(replica: Replica, { journal, entries, questions = {}, status }: JsonObject): void {
    // What has ended is over, and its way is forgotten.
    if (status !== undefined && isTerminal(status as TaskStatus)) return;
    const kept = (journal ?? entries ?? []) as readonly { step?: string; n?: number }[];
    const open = Object.values(questions as Record<string, { method: string; params?: JsonObject }>);
    const lost = this.#events.filter(each => each.replica === replica && !each.cut && !each.kept);
    for (const event of lost.reverse()) {
      const { seen, n } = event;
      if ('step' in seen) {
        const threw = event.done && seen.threw !== undefined;
        event.cut = !threw && !kept.some(entry => entry.step === seen.step && (entry.n ?? 0) === n);
      } else {
        const at = open.findIndex(({ method, params }) => isSame(seen, method, params));
        if (at >= 0) open.splice(at, 1);
        event.cut = at >= 0;
      }
    }
  }
}

/** A question may look a little different to a client whose revision says it in other words. */
function isSame(
  { question, params }: Extract<Seen, { question: string }>,
  method: string,
  asked: JsonObject = {},
): boolean {
  return question === method && params.message === asked.message && params.url === asked.url;
}
