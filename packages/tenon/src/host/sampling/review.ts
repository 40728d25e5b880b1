import type { MaybePromise } from '../../jsonrpc/maybe-promise.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';
import { createRejectedError, isRefusal, type SamplingRefusal } from './refusal.js';

/** Information for a reviewer beside the request or the result. */
export interface SamplingInfo {
  /** Name of the requesting server in the host. */
  readonly server: string;
  readonly principal: string | undefined;
  /** The model that will run, or has run, the request. */
  readonly model: string;
  /** The context that the server requested. It is never added. */
  readonly includeContext: 'none' | 'thisServer' | 'allServers';
  /** Rounds of tool use in this conversation so far. */
  readonly rounds: number;
  /** Before: the estimated maximum that the request may use. After: the tokens that it used. */
  readonly tokens: number;
  readonly signal: AbortSignal;
}

/**
 * Lets the user decide. A returned request or result goes on, as it is or edited. `rejectSampling(…)`, or nothing at
 * all, ends the request with error -1.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#user-interaction-model
 */
export interface Review {
  /** Reviews the prompt and the tools before the model gets them. */
  readonly before?:
    | ((request: CreateMessageParams, info: SamplingInfo) => MaybePromise<CreateMessageParams | SamplingRefusal>)
    | undefined;
  /** Reviews the result, with its uses of tools, before the server gets it. */
  readonly after?:
    | ((result: CreateMessageResult, info: SamplingInfo) => MaybePromise<CreateMessageResult | SamplingRefusal>)
    | undefined;
}

/** Returns the reviewed value. A reviewer that returns nothing has refused, as by closing a window. */
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
