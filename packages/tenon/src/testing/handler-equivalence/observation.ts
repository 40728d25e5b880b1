import type { JsonObject } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { isTerminal, type TaskStatus } from '../../protocol/tasks.js';
import type { HandlerAction } from './handler-action.js';
import type { Replica } from './replica.js';
import type { ExecutionScenario } from './scenarios.js';

/** Event that is visible from outside: an input request that reached the client, a step that ran. */
export type ObservedEvent =
  | { readonly question: string; readonly params: JsonObject }
  | { readonly step: string; readonly threw?: string };

interface RecordedEvent {
  observed: ObservedEvent;
  /** In which process. */
  readonly replica: Replica;
  readonly n: number;
  done: boolean;
  /** True once the client has the result. */
  persisted: boolean;
  /** It was going on, or was not yet remembered, when its process was lost: it comes again, and counts then. */
  interrupted: boolean;
}

/** All that is seen of a handler in one way. */
export class Observation {
  readonly scenario: ExecutionScenario;
  readonly #events: RecordedEvent[] = [];
  effects: readonly unknown[] = [];
  result: JsonObject | undefined;
  error: { readonly code: number | undefined; readonly message: string } | undefined;
  /** Actions of the handler, in the run that ended. */
  actions: readonly HandlerAction[] = [];
  /** Return value or error of that run. */
  outcome: unknown;
  /** Number of runs of the handler. */
  entries = 0;
  /** True if the handler returned input requests, which have an order of their own for each run. */
  returnsInputRequests = false;
  /** True if the handler did two things at once: then their order is not its own. */
  overlaps = false;
  /** Capabilities that the client declared. */
  capabilities: ClientCapabilities = {};
  missingCapabilities: readonly string[] = [];
  /** The scenario has ended or failed, so its end is not awaited. */
  onEnd: () => void = () => {};

  constructor(scenario: ExecutionScenario) {
    this.scenario = scenario;
  }

  get seen(): readonly ObservedEvent[] {
    return this.#events.filter(({ interrupted }) => !interrupted).map(({ observed }) => observed);
  }

  get interruptedCount(): number {
    return this.#events.filter(({ interrupted }) => interrupted).length;
  }

  /** An input request reached the client. */
  async recordRequest(question: string, params: JsonObject, replica: Replica, answer: () => unknown): Promise<never> {
    return replica.runIfAlive(async () => {
      const { _meta, ...plain } = params;
      this.#events.push({
        observed: { question, params: plain },
        replica,
        n: 0,
        done: true,
        persisted: false,
        interrupted: false,
      });
      return (await answer()) as never;
    });
  }

  /** A step runs. */
  async recordStep<T>(step: string, n: number, replica: Replica, work: () => T | Promise<T>): Promise<T> {
    const event: RecordedEvent = { observed: { step }, replica, n, done: false, persisted: false, interrupted: false };
    this.#events.push(event);
    try {
      return await work();
    } catch (error) {
      event.observed = { step, threw: String(error instanceof Error ? error.message : error) };
      throw error;
    } finally {
      event.done = true;
    }
  }

  /** A round was answered: what was done so far is in the state that its client was given. */
  markAnswered(): void {
    for (const event of this.#events) event.persisted = event.done;
  }

  /** A process was lost, and this is what was written of its call: what is not in there will happen once more. */
  markReplicaLost(replica: Replica, { journal, entries, questions = {}, status }: JsonObject): void {
    // What has ended is over, and its way is forgotten.
    if (status !== undefined && isTerminal(status as TaskStatus)) return;
    const kept = (journal ?? entries ?? []) as readonly { step?: string; n?: number }[];
    const open = Object.values(questions as Record<string, { method: string; params?: JsonObject }>);
    const lostEvents = this.#events.filter(each => each.replica === replica && !each.interrupted && !each.persisted);
    for (const event of lostEvents.reverse()) {
      const { observed, n } = event;
      if ('step' in observed) {
        const threw = event.done && observed.threw !== undefined;
        event.interrupted = !threw && !kept.some(entry => entry.step === observed.step && (entry.n ?? 0) === n);
      } else {
        const index = open.findIndex(({ method, params }) => isSameRequest(observed, method, params));
        if (index >= 0) open.splice(index, 1);
        event.interrupted = index >= 0;
      }
    }
  }
}

/** An input request may have another form for a client of another version. */
function isSameRequest(
  { question, params }: Extract<ObservedEvent, { question: string }>,
  method: string,
  other: JsonObject = {},
): boolean {
  return question === method && params.message === other.message && params.url === other.url;
}
