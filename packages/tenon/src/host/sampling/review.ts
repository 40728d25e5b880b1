import type { MaybePromise } from '../../jsonrpc/then-maybe.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';
import { createRejectedError, isRefusal, type SamplingRefusal } from './refusal.js';

/** What a reviewer is told beside the request or the result itself. */
export interface SamplingFacts {
  /** The server that asks, by its name in the host. */
  readonly server: string;
  readonly principal: string | undefined;
  /** The model that will be, or was, asked. */
  readonly model: string;
  /** What the server wanted to have added: nothing ever is. */
  readonly includeContext: 'none' | 'thisServer' | 'allServers';
  /** How often tools were used in this conversation already. */
  readonly rounds: number;
  /** Before: what the request may use at the most, about. After: what it used. */
  readonly tokens: number;
  readonly signal: AbortSignal;
}

/**
 * Where the user decides. What is returned goes on, as it is or edited; a `refuse(…)`, or nothing at all, ends the
 * request with error -1. https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#user-interaction-model
 */
export interface Review {
  /** Sees what the model would be sent, prompt and tools, before it is. */
  readonly before?:
    | ((request: CreateMessageParams, facts: SamplingFacts) => MaybePromise<CreateMessageParams | SamplingRefusal>)
    | undefined;
  /** Sees what the server would be sent, before it is: uses of tools too. */
  readonly after?:
    | ((result: CreateMessageResult, facts: SamplingFacts) => MaybePromise<CreateMessageResult | SamplingRefusal>)
    | undefined;
}

/** What becomes of something under review. Whoever closes the window without a word has not agreed. */
export async function runReview<T extends object>(
  look: ((value: T, facts: SamplingFacts) => MaybePromise<T | SamplingRefusal>) | undefined,
  value: T,
  facts: SamplingFacts,
): Promise<T> {
  if (look === undefined) return value;
  const verdict: T | SamplingRefusal | undefined = await look(value, facts);
  if (isRefusal(verdict)) throw createRejectedError(verdict.reason);
  if (typeof verdict !== 'object' || verdict === null) throw createRejectedError();
  return verdict;
}
