import type { Asked } from '../../client/options.js';
import type { Ask } from '../../conversation/asking/asking.js';
import { TenonError } from '../../jsonrpc/error.js';
import { type Id, isObject, type JsonObject } from '../../jsonrpc/message.js';
import type { LoggingLevel } from '../../model/content.js';
import { RELATED_TASK } from '../../model/meta.js';
import type { Session } from '../../server/turn.js';

/** A call that is on its way to a server, and what of it the server may reach. */
export interface InFlight {
  /** The requests that were sent for it. */
  readonly ids: ReadonlySet<Id>;
  /** The task that the server has made of it. */
  readonly task: string | undefined;
  readonly ask: Ask | undefined;
  /** The session of its caller, where there is one. */
  readonly session?: Session | undefined;
  /** Whether its caller no longer waits for it. */
  readonly givenUp: boolean;
  /** Whether its caller wants to hear messages of this level. */
  hears(level: LoggingLevel): boolean;
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void;
}

/** What is known of where a question comes from. */
type Whence = Pick<Asked, 'signal' | 'relatedTo' | 'task'> & Partial<Pick<Asked, 'progress'>>;

/**
 * The calls that are on their way on one line. What a server asks meanwhile goes to the call that it names, by its stream
 * or its task. Where neither is told it goes to the last that can be asked: all calls of a line are of the same audience.
 */
export class CallsInFlight {
  readonly #calls = new Map<InFlight, Set<Promise<unknown>>>();
  readonly #session: Session | undefined;

  constructor(session: Session | undefined) {
    this.#session = session;
  }

  get size(): number {
    return this.#calls.size;
  }

  /** Does the work of a call. It is not over while something is still asked on its behalf. */
  async during<T>(call: InFlight, work: () => Promise<T>): Promise<T> {
    const open = new Set<Promise<unknown>>();
    this.#calls.set(call, open);
    try {
      return await work();
    } finally {
      while (open.size > 0) await Promise.allSettled(open);
      this.#calls.delete(call);
    }
  }

  async ask(method: string, params: JsonObject, about: Whence): Promise<JsonObject> {
    const tried = new Set<InFlight>();
    for (let call = this.#whose(params, about); call?.ask; call = this.#nextOf(tried)) {
      tried.add(call);
      try {
        return await this.#askBy(call, call.ask, method, params, about);
      } catch (error) {
        // What is asked of one who leaves meanwhile was perhaps meant for another.
        if (about.signal.aborted || !this.#isOver(call, error)) throw error;
      }
    }
    if (this.#session) return this.#session.ask(method, params, about.signal, about.progress);
    throw new TenonError('host/nobody-to-ask', `a server asks ${method} while no call is on its way to it`, {
      next: 'a server may ask while it serves a call',
    });
  }

  #askBy(call: InFlight, ask: Ask, method: string, params: JsonObject, about: Whence): Promise<JsonObject> {
    const asking = ask(method, params, about.signal, about.progress);
    const open = this.#calls.get(call);
    const settled = asking.catch(() => {}).finally(() => open?.delete(settled));
    open?.add(settled);
    return asking;
  }

  #isOver(call: InFlight, error: unknown): boolean {
    return call.givenUp || !this.#calls.has(call) || (TenonError.is(error) && error.code === 'task/over');
  }

  #whose({ _meta }: JsonObject, { relatedTo, task: asking }: Whence): InFlight | undefined {
    const related = isObject(_meta) ? _meta[RELATED_TASK] : undefined;
    const taskId = asking ?? (isObject(related) ? related.taskId : undefined);
    const named = [...this.#calls.keys()].find(
      ({ ask, ids, task }) =>
        ask !== undefined &&
        ((relatedTo !== undefined && ids.has(relatedTo)) || (taskId !== undefined && task === taskId)),
    );
    return named ?? this.#nextOf(new Set());
  }

  /** The last whose caller still waits, of those that can be asked and were not. */
  #nextOf(tried: ReadonlySet<InFlight>): InFlight | undefined {
    return [...this.#calls.keys()].findLast(call => call.ask !== undefined && !call.givenUp && !tried.has(call));
  }

  /**
   * Sends a log message to the last call that it may belong to. Where several sessions share a process and have calls on their way,
   * it is sent to none of them, because it may tell one of them about the call of another.
   */
  log(level: LoggingLevel, data: unknown, logger: string | undefined): void {
    const calls = [...this.#calls.keys()];
    if (calls.some(({ session }) => session !== calls[0]?.session)) return;
    const last = calls.findLast(call => call.hears(level));
    if (last) last.log(level, data, logger);
    else if (this.#calls.size > 0) return;
    else this.#session?.tell('notifications/message', { level, data, ...(logger === undefined ? {} : { logger }) });
  }
}
