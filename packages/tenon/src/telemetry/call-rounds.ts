import type { JsonObject } from '@tenon/base';
import type { TracedRequest } from './telemetry.js';

/** Counts the rounds of calls with input requests. */
export class CallRounds<Span extends object> {
  /** Number of rounds that were sent, by the span of the request that is served meanwhile. */
  readonly #sent = new WeakMap<Span, number>();

  /** Sets the round of a request that is served. A gateway sends the same round to its server. */
  setServed(span: Span, round: number): void {
    this.#sent.set(span, round - 1);
  }

  /**
   * Returns the round of a request that has ended. A call of one round has no number. A gateway sends each round as a
   * call of its own: it follows the one that was sent before, while the span `outer` was active.
   */
  find({ call, params }: TracedRequest, result: JsonObject | undefined, outer: Span | undefined): number | undefined {
    if (call && call.round > 1) return call.round;
    const isRetry = params?.requestState !== undefined || params?.inputResponses !== undefined;
    if (!isRetry && result?.resultType !== 'input_required') return undefined;
    const before = isRetry ? outer && this.#sent.get(outer) : 0;
    if (before === undefined) return undefined;
    if (outer) this.#sent.set(outer, before + 1);
    return before + 1;
  }
}
