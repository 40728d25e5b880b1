import type { MaybePromise } from '@tenon/base';
import type { CreateMessageParams, CreateMessageResult } from 'tenon';
import { createRejectedError, isRefusal, type SamplingRefusal } from './refusal.js';

/** Information for a reviewer in addition to the request or result. */
export interface SamplingInfo {
  /** Name of the requesting server in the host. */
  readonly server: string;
  readonly principal: string | undefined;
  /** Name of the model that handles the request. */
  readonly model: string;
  /** Context that the server requested. The host never adds it. */
  readonly includeContext: 'none' | 'thisServer' | 'allServers';
  /** Number of rounds of tool use in this conversation so far. */
  readonly rounds: number;
  /** Number of tokens. Before the generation: the estimated maximum. Afterwards: the used tokens. */
  readonly tokens: number;
  readonly signal: AbortSignal;
}

/**
 * Lets the user review sampling. A reviewer returns the request or result, edited if necessary. `rejectSampling(…)` or
 * `undefined` rejects the request with error -1.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#user-interaction-model
 */
export interface Review {
  /** Reviews the prompt and the tools before the model receives them. */
  readonly before?:
    | ((request: CreateMessageParams, info: SamplingInfo) => MaybePromise<CreateMessageParams | SamplingRefusal>)
    | undefined;
  /** Reviews the result and its tool uses before the server receives it. */
  readonly after?:
    | ((result: CreateMessageResult, info: SamplingInfo) => MaybePromise<CreateMessageResult | SamplingRefusal>)
    | undefined;
}

/** Returns the reviewed value. A reviewer that returns nothing has rejected it, for example by closing a window. */
export async function runReview<T extends object>(
  reviewer: ((value: T, info: SamplingInfo) => MaybePromise<T | SamplingRefusal>) | undefined,
  value: T,
  info: SamplingInfo,
): Promise<T> {
  if (reviewer === undefined) return value;
  const verdict: T | SamplingRefusal | undefined = await reviewer(value, info);
  if (isRefusal(verdict)) throw createRejectedError(verdict.reason);
  if (typeof verdict !== 'object' || verdict === null) throw createRejectedError();
  return verdict;
}
