import { copyJson, rejectOnAbort, requireArgument, setNewest, toCanonicalJson } from '@tenon/base';
import type { CompleteParams, CompleteResult } from '../../protocol/params-and-results.js';
import type { CallOptions } from '../call-options.js';
import { checkCompletion } from '../option-checks.js';
import { createCallAbortedError } from '../server-requests/input-requests.js';
import type { CallContext } from './call-context.js';

type Completion = CompleteResult['completion'];
type Params = Omit<CompleteParams, '_meta'>;

const DEFAULT_DELAY = 100;
const DEFAULT_TTL = 10_000;
/** Maximum number of completions in the cache. */
const MAX_CACHED = 100;

/** The calls that get the result of the next completion of an argument. */
interface WaitingCompletion {
  readonly cancelTimer: () => void;
  readonly waiters: ((result: Promise<Completion>) => void)[];
}

/**
 * Sends completion requests of a user who types. The first one is sent at once. Of those that follow quickly for the same
 * argument, only the last one is sent.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion
 */
export class CompletionRequests {
  readonly #pipeline: CallContext;
  readonly #delay: number;
  readonly #ttl: number;
  readonly #waiting = new Map<string, WaitingCompletion>();
  readonly #sentAt = new Map<string, number>();
  readonly #cache = new Map<string, { readonly value: Completion; readonly expiresAt: number }>();
  /** Number that increases with each change of the server. A completion that was requested before is not cached. */
  #generation = 0;

  constructor(pipeline: CallContext) {
    const { completion = {} } = pipeline.options;
    const { debounceDelay = DEFAULT_DELAY, ttl = DEFAULT_TTL } =
      completion === false ? { debounceDelay: 0, ttl: 0 } : completion;
    this.#pipeline = pipeline;
    this.#delay = debounceDelay;
    this.#ttl = ttl;
    pipeline.emitter.on('change', () => {
      this.#cache.clear();
      this.#generation += 1;
    });
  }

  complete(params: Params, options: CallOptions | undefined): Promise<Completion> {
    requireArgument('the params of client.complete', params, checkCompletion);
    this.#pipeline.connections.lastConnection.checkSendable('completion/complete', params);
    const cached = this.#cache.get(toCanonicalJson(params));
    const { clock } = this.#pipeline;
    if (cached && cached.expiresAt > clock.now()) return Promise.resolve(copyJson(cached.value));
    const argument = toCanonicalJson([params.ref, params.argument.name]);
    const isFirst = clock.elapsed() - (this.#sentAt.get(argument) ?? Number.NEGATIVE_INFINITY) >= this.#delay;
    if (isFirst && !this.#waiting.has(argument)) return this.#send(argument, params, options);
    return this.#wait(argument, params, options);
  }

  #wait(argument: string, params: Params, options: CallOptions | undefined): Promise<Completion> {
    const { clock, connections } = this.#pipeline;
    const previous = this.#waiting.get(argument);
    previous?.cancelTimer();
    const waiters = previous?.waiters ?? [];
    const send = () => {
      this.#waiting.delete(argument);
      // Each call has a signal of its own, which must not end the request for the others.
      const { signal: _, ...rest } = options ?? {};
      const sent = this.#send(argument, params, waiters.length > 1 ? rest : options);
      for (const resolve of waiters) resolve(sent);
    };
    this.#waiting.set(argument, { cancelTimer: clock.after(this.#delay, send, { hold: true }), waiters });
    const result = new Promise<Completion>(resolve => waiters.push(resolve));
    return rejectOnAbort(result, options?.signal, cause =>
      createCallAbortedError(connections.lastConnection.peer, cause),
    );
  }

  async #send(argument: string, params: Params, options: CallOptions | undefined): Promise<Completion> {
    const { clock } = this.#pipeline;
    setNewest(this.#sentAt, argument, clock.elapsed(), MAX_CACHED);
    const generation = this.#generation;
    const { completion } = await this.#pipeline.request('completion/complete', params, options);
    if (this.#ttl > 0 && generation === this.#generation) {
      const entry = { value: copyJson(completion), expiresAt: clock.now() + this.#ttl };
      setNewest(this.#cache, toCanonicalJson(params), entry, MAX_CACHED);
    }
    return completion;
  }
}
