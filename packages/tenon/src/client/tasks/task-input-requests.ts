import type { JsonObject } from '@tenon/base';
import type { InputRequests } from '../../protocol/input-requests.js';
import type { CallContext } from '../calls/call-context.js';
import type { PausableClock } from '../calls/call-deadline.js';
import {
  answerInputRequest,
  createTooManyRoundsError,
  getMaxRounds,
  readInputRequest,
} from '../server-requests/input-requests.js';

export interface TaskInputContext {
  readonly pipeline: CallContext;
  readonly taskId: string;
  /** Clock that is paused while the user answers an input request. */
  readonly clock: PausableClock;
  /** Sends answers to the server. */
  deliver(inputResponses: JsonObject): Promise<void>;
  /** Called when an input request could not be answered, or its answer could not be sent. */
  onError(error: unknown): void;
}

/**
 * Input requests of a task.
 * @see https://modelcontextprotocol.io/extensions/tasks/overview
 */
export class TaskInputRequests {
  readonly #context: TaskInputContext;
  readonly #open = new Map<string, AbortController>();
  readonly #answered = new Set<string>();
  #rounds = 0;

  constructor(context: TaskInputContext) {
    this.#context = context;
  }

  /** Sets the open input requests. Starts new ones, and withdraws those that are no longer open. */
  update(requests: InputRequests): void {
    for (const [key, controller] of this.#open) if (!Object.hasOwn(requests, key)) this.#withdraw(key, controller);
    const added = Object.entries(requests).filter(([key]) => !this.#open.has(key) && !this.#answered.has(key));
    if (added.length === 0) return;
    const { pipeline, onError } = this.#context;
    const maxRounds = getMaxRounds(pipeline.options);
    this.#rounds += 1;
    if (this.#rounds > maxRounds)
      return onError(createTooManyRoundsError(pipeline.connections.lastConnection, maxRounds));
    void this.#answer(Object.fromEntries(added)).catch(onError);
  }

  /** Aborts all handlers, because no caller waits for the task. */
  close(): void {
    for (const [key, controller] of this.#open) this.#withdraw(key, controller);
  }

  #withdraw(key: string, controller: AbortController): void {
    this.#open.delete(key);
    controller.abort();
  }

  /** Answers the requests of one update together. */
  async #answer(requests: InputRequests): Promise<void> {
    const { clock, deliver } = this.#context;
    const resume = clock.pause();
    const all = Object.entries(requests).map(([key, request]) => this.#answerOne(key, request));
    const answers = await Promise.all(all).finally(resume);
    const wanted = answers.filter(([key, answer]) => answer !== undefined && this.#open.delete(key));
    for (const [key] of wanted) this.#answered.add(key);
    if (wanted.length > 0) await deliver(Object.fromEntries(wanted));
  }

  /** Answers one input request. The answer is `undefined` if the request was withdrawn meanwhile. */
  async #answerOne(key: string, request: InputRequests[string]): Promise<readonly [string, JsonObject | undefined]> {
    const { pipeline, taskId: task } = this.#context;
    const controller = new AbortController();
    const { signal } = controller;
    this.#open.set(key, controller);
    const withdrawn = new Promise<undefined>(resolve =>
      signal.addEventListener('abort', () => resolve(undefined), { once: true }),
    );
    try {
      const connection = pipeline.connections.lastConnection;
      const answer = readInputRequest(request, connection).then(read =>
        answerInputRequest(read, connection, pipeline.options, { signal, task }),
      );
      return [key, await Promise.race([answer, withdrawn])];
    } catch (error) {
      if (signal.aborted) return [key, undefined];
      throw error;
    }
  }
}
