import type { JsonObject } from '../../jsonrpc/message.js';
import type { InputRequests } from '../../model/asking.js';
import type { PausingClock } from '../allowance.js';
import type { Caller } from '../caller.js';
import { answerTo, mostRounds, tooManyRounds } from '../questions.js';

export interface Desk {
  readonly caller: Caller;
  readonly taskId: string;
  /** Stands still while somebody is asked. */
  readonly clock: PausingClock;
  /** Hands answers over. */
  deliver(inputResponses: JsonObject): Promise<void>;
  /** Something could not be answered, or not be handed over. */
  failed(error: unknown): void;
}

/**
 * What a task asks: each question is answered once, however often it is listed; one that is listed no longer is
 * withdrawn. https://modelcontextprotocol.io/extensions/tasks/overview
 */
export class OpenQuestions {
  readonly #desk: Desk;
  readonly #open = new Map<string, AbortController>();
  readonly #answered = new Set<string>();
  #rounds = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** These are open, and no others. */
  list(requests: InputRequests): void {
    for (const [key, controller] of this.#open) if (!Object.hasOwn(requests, key)) this.#withdraw(key, controller);
    const fresh = Object.entries(requests).filter(([key]) => !this.#open.has(key) && !this.#answered.has(key));
    if (fresh.length === 0) return;
    const { caller, failed } = this.#desk;
    const most = mostRounds(caller.options);
    this.#rounds += 1;
    if (this.#rounds > most) return failed(tooManyRounds(caller.lifeline.last, most));
    void this.#answer(Object.fromEntries(fresh)).catch(failed);
  }

  /** Nobody waits for the task any longer. */
  close(): void {
    for (const [key, controller] of this.#open) this.#withdraw(key, controller);
  }

  #withdraw(key: string, controller: AbortController): void {
    this.#open.delete(key);
    controller.abort();
  }

  /** What is asked together is answered together. */
  async #answer(requests: InputRequests): Promise<void> {
    const { clock, deliver } = this.#desk;
    const goOn = clock.hold();
    const all = Object.entries(requests).map(([key, request]) => this.#one(key, request));
    const answers = await Promise.all(all).finally(goOn);
    const wanted = answers.filter(([key, answer]) => answer !== undefined && this.#open.delete(key));
    for (const [key] of wanted) this.#answered.add(key);
    if (wanted.length > 0) await deliver(Object.fromEntries(wanted));
  }

  /** No answer when the question was withdrawn meanwhile. */
  async #one(key: string, request: InputRequests[string]): Promise<readonly [string, JsonObject | undefined]> {
    const { caller, taskId: task } = this.#desk;
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(key, controller);
    const withdrawn = new Promise<undefined>(resolve =>
      signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    );
    try {
      const answer = answerTo(request, caller.lifeline.last, caller.options, { signal, task });
      return [key, await Promise.race([answer, withdrawn])];
    } catch (error) {
      if (signal.aborted) return [key, undefined];
      throw error;
    }
  }
}
