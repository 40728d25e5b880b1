import { stringifyJson } from '@tenon/base';
import type { ActionRequest, Policy, PolicyVerdict } from '@tenon/host';
import { getServedRequest } from './served-request.js';

/** Maximum number of decisions that are kept. */
const MAX_DECISIONS = 5000;
/** Maximum length of the arguments of a kept decision as JSON, in characters. */
const MAX_ARGUMENTS = 64_000;
/** Maximum length of the arguments of all kept decisions, in characters. */
const MAX_ALL_ARGUMENTS = 32_000_000;

/** Decision that a policy of the gateway has made. */
export interface LoggedDecision {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly request: ActionRequest;
  readonly verdict: PolicyVerdict;
  /** Message with the request that the gateway served. Absent if it is not in the log. */
  readonly served?: number | undefined;
  /** Policy that was in force. */
  readonly policy: Policy;
  /** True if the arguments were too long to be kept. The decision cannot be tried again. */
  readonly isCut: boolean;
  /** Length of the kept arguments as JSON, in characters. */
  readonly size: number;
}

/** Last decisions of the policy of a gateway about the calls of all callers. */
export class DecisionLog {
  readonly #decisions = new Map<number, LoggedDecision>();
  readonly #now: () => number;
  #current: Policy | undefined;
  #last = 0;
  #size = 0;

  /** @param now Returns the time in milliseconds since 1970. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Policy in force. */
  get policy(): Policy | undefined {
    return this.#current;
  }

  /** Puts a policy in force whose decisions are kept. */
  observe(policy: Policy): Policy {
    this.#current = policy;
    return {
      ...policy,
      evaluate: request => {
        const verdict = policy.evaluate(request);
        this.#add(request, verdict, policy);
        return verdict;
      },
    };
  }

  /** Returns the kept decisions, the oldest first. */
  list(): LoggedDecision[] {
    return [...this.#decisions.values()];
  }

  get(id: number): LoggedDecision | undefined {
    return this.#decisions.get(id);
  }

  #add(request: ActionRequest, verdict: PolicyVerdict, policy: Policy): void {
    const length = stringifyJson(request.arguments).length;
    const isCut = length > MAX_ARGUMENTS;
    const size = isCut ? 0 : length;
    this.#last += 1;
    this.#size += size;
    const decision = {
      id: this.#last,
      time: this.#now(),
      request: isCut ? { ...request, arguments: {} } : request,
      verdict,
      served: getServedRequest(),
      policy,
      isCut,
      size,
    };
    this.#decisions.set(decision.id, decision);
    for (const [id, { size: freed }] of this.#decisions) {
      if (this.#decisions.size <= MAX_DECISIONS && this.#size <= MAX_ALL_ARGUMENTS) break;
      this.#decisions.delete(id);
      this.#size -= freed;
    }
  }
}
