import {
  type CallerIdentity,
  type Check,
  type Clock,
  checkArray,
  checkClock,
  checkEither,
  checkFunction,
  checkObject,
  checkOptional,
  checkOptions,
  checkRange,
  checkRecord,
  checkString,
  checkWhole,
  getCallerKey,
  type OptionChecks,
  requireOptions,
  SharedLimit,
  systemClock,
  TenonError,
} from '@tenon/base';
import type { CreateMessageParams, CreateMessageResult } from 'tenon';
import { checkBudget, createAccounts, createChains, type TokenBudget } from './budget.js';
import { type Allow, checkGrant, requestConsent } from './consent.js';
import { countRounds, estimateRequestTokens, getRequirements } from './content.js';
import { askModel } from './generation.js';
import { withGenerationTimeout } from './generation-timeout.js';
import type { Model } from './model.js';
import { canTake, rank } from './model-choice.js';
import { createInvalidError, createLimitError, createRejectedError } from './refusal.js';
import { type Review, runReview, type SamplingInfo } from './review.js';
import { judgeRequest, type RequestBounds } from './validate-request.js';
import { checkGeneratedResult } from './validate-result.js';

/** Options of `createBroker`. */
export interface BrokerOptions {
  /** Models, in order of preference for servers without a preference. */
  readonly models: readonly Model[];
  /**
   * Chooses one of the suitable models, which are sorted by preference. `undefined` chooses the first one.
   * @default the first one
   */
  readonly choose?:
    | ((candidates: readonly Model[], request: CreateMessageParams, who: SamplingRequester) => Model | undefined)
    | undefined;
  /**
   * Models that each server may use. Required without `review.before`, because it is then the only consent. These
   * servers can spend tokens and query the model without a review.
   */
  readonly allow?: Allow | undefined;
  /**
   * Limits on the tokens that servers may use.
   * @default no limit
   */
  readonly budget?: TokenBudget | readonly TokenBudget[] | undefined;
  /**
   * Maximum number of tokens of a response. A higher `maxTokens` of a request is lowered to it.
   * @default 4,096
   */
  readonly maxTokens?: number | undefined;
  /**
   * Maximum number of rounds of tool use in a conversation.
   * @default 25
   */
  readonly maxRounds?: number | undefined;
  /**
   * Maximum number of requests of one chain, for example of one call.
   * @default 100
   */
  readonly maxPerChain?: number | undefined;
  /**
   * Maximum number of concurrent requests of one server. One user may have half of them.
   * @default 8
   */
  readonly maxAtOnce?: number | undefined;
  /**
   * Timeout of the model, in milliseconds. It does not include the time of reviewers.
   * @default 600,000
   */
  readonly timeout?: number | undefined;
  /** Limits on the size of requests. Defaults: see `RequestBounds`. */
  readonly bounds?: RequestBounds | undefined;
  /**
   * Asks a person for approval before the model gets a request, or before the server gets the result.
   * @default none
   */
  readonly review?: Review | undefined;
  /**
   * Clock, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Server that sends a sampling request, and the caller on whose behalf it does. */
export interface SamplingRequester extends CallerIdentity {
  /** Name of the server in the host. */
  readonly server: string;
}

export interface SamplingContext extends Partial<CallerIdentity> {
  readonly server: string;
  readonly signal: AbortSignal;
  /**
   * Identifies the operation to which the request belongs, such as a call. The requests of one chain are counted
   * together.
   */
  readonly chain?: string | undefined;
}

/**
 * Handles sampling requests of servers.
 * @throws TenonError `rpc/error` for the server: code -1 (refused), -32602 (invalid) or 429 (over a limit). Other
 * errors are for the host only: `sampling/timeout`, `sampling/aborted`, `sampling/choice`, `model/…`.
 */
export type Broker = (request: CreateMessageParams, asked: SamplingContext) => Promise<CreateMessageResult>;

const count: Check = value =>
  value === Number.POSITIVE_INFINITY ? undefined : checkWhole('a whole number of at least 1', 1)(value);
const reviewer = checkOptional(checkFunction);
const optionChecks: OptionChecks<BrokerOptions> = {
  models: checkArray(checkObject({ name: checkString, generate: checkFunction })),
  choose: checkOptional(checkFunction),
  allow: checkOptional(checkEither(checkFunction, checkRecord(checkGrant))),
  budget: checkOptional(checkBudget),
  maxTokens: checkOptional(count),
  maxRounds: checkOptional(count),
  maxPerChain: checkOptional(count),
  maxAtOnce: checkOptional(count),
  timeout: checkOptional(checkRange('a number of milliseconds of at least 1', 1)),
  bounds: checkOptional(checkObject({ messages: count, tools: count, characters: count })),
  review: checkOptional(checkOptions<Review>({ before: reviewer, after: reviewer })),
  clock: checkOptional(checkClock),
};

const MAX_TOKENS = 4_096;
const MAX_ROUNDS = 25;
const MAX_PER_CHAIN = 100;
const MAX_AT_ONCE = 8;
const TIMEOUT = 600_000;

/**
 * Creates a broker between servers and models. It validates requests, chooses the model, enforces budgets, and passes
 * requests and results to reviewers. It does not add context to a request, and stores nothing of it.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function createBroker(options: BrokerOptions): Broker {
  requireOptions('createBroker', options, optionChecks, 'options/invalid');
  const { allow, budget = [], review = {}, clock = systemClock } = options;
  if (allow === undefined && review.before === undefined)
    throw new TenonError('sampling/no-consent', 'sampling has no consent of the user', {
      hint: 'pass `review.before` to show requests to the user, or `allow` with the names of trusted servers',
    });
  const accounts = createAccounts('window' in budget ? [budget] : budget, clock);
  const countChain = createChains(options.maxPerChain ?? MAX_PER_CHAIN);
  const takeTurn = createTurns(options.maxAtOnce ?? MAX_AT_ONCE);
  const asker = { timeout: options.timeout ?? TIMEOUT, clock };

  async function serve(request: CreateMessageParams, asked: SamplingContext): Promise<CreateMessageResult> {
    const { server, principal, issuer, clientId } = asked;
    const who: SamplingRequester = { server, principal, issuer, clientId };
    const prepared = prepareRequest(request, options);
    const model = chooseModel(prepared, who, options);
    if (asked.chain !== undefined && !countChain(asked.chain))
      throw createRejectedError('too many requests in one call');
    const maxCost = estimateRequestTokens(prepared) + prepared.maxTokens;
    const reservation = accounts.reserve(who, maxCost);
    const info = { ...createSamplingInfo(request, who, model), signal: asked.signal };
    const wait = { signal: asked.signal, clock, peer: asked.server };
    let spent = 0;
    try {
      const reviewRequest = (signal: AbortSignal) =>
        runReview(review.before, prepared, { ...info, tokens: maxCost, signal });
      const reviewed = await withGenerationTimeout(reviewRequest, wait);
      const final = prepareRequest(reviewed, options, prepared.maxTokens);
      requireModel([model], final);
      const answer = await askModel(model, final, asked.signal, asker, tokens => {
        spent = tokens;
      });
      const result = checkGeneratedResult(answer, final, model.name);
      const reviewResult = (signal: AbortSignal) => runReview(review.after, result, { ...info, tokens: spent, signal });
      return checkGeneratedResult(
        await withGenerationTimeout(reviewResult, wait),
        withOptionalTools(final),
        model.name,
      );
    } finally {
      reservation.settle(spent);
    }
  }

  return async (request, asked) => {
    const release = takeTurn(asked);
    try {
      return await serve(request, asked);
    } finally {
      release();
    }
  };
}

/**
 * Validates a request, lowers its `maxTokens`, and removes `includeContext`, `metadata` and `_meta`, which no model
 * receives.
 */
function prepareRequest(request: CreateMessageParams, options: BrokerOptions, maxTokens?: number): CreateMessageParams {
  judgeRequest(request, options.bounds);
  const rounds = options.maxRounds ?? MAX_ROUNDS;
  if (countRounds(request) > rounds) throw createRejectedError(`tools were used more than ${rounds} times`);
  const { includeContext: _, metadata: __, ...rest } = request;
  const { _meta: ___, task: ____, ...sent } = rest as typeof rest & { _meta?: unknown; task?: unknown };
  return {
    ...sent,
    maxTokens: Math.min(request.maxTokens, options.maxTokens ?? MAX_TOKENS, maxTokens ?? request.maxTokens),
  };
}

function chooseModel(
  request: CreateMessageParams,
  who: SamplingRequester,
  { models, allow, choose }: BrokerOptions,
): Model {
  const open = requestConsent(models, allow, who);
  if (open.length === 0) throw createRejectedError('this server is not allowed to use a model');
  requireModel(open, request);
  const candidates = rank(open, request);
  const model = choose?.(candidates, request, who) ?? candidates[0];
  if (model !== undefined && candidates.includes(model)) return model;
  throw new TenonError('sampling/choice', '`choose` returned an unsuitable model', {
    peer: who.server,
    hint: 'return one of the models passed to `choose`',
  });
}

/** Rejects a request that no model supports. The error names the unsupported features. */
function requireModel(models: readonly Model[], request: CreateMessageParams): void {
  if (models.some(model => canTake(model, request))) return;
  const needs = Object.entries(getRequirements(request)).flatMap(([name, needed]) => (needed ? [name] : []));
  throw createInvalidError(`No model supports a request with ${needs.join(' and ')}`);
}

/** Creates the information for reviewers. An unknown value of `includeContext` counts as `none`. */
function createSamplingInfo(
  request: CreateMessageParams,
  who: SamplingRequester,
  model: Model,
): Omit<SamplingInfo, 'signal' | 'tokens'> {
  const { includeContext } = request;
  const wanted = includeContext === 'thisServer' || includeContext === 'allServers' ? includeContext : 'none';
  return { ...who, model: model.name, includeContext: wanted, rounds: countRounds(request) };
}

/** Makes tool use optional, because a reviewer may replace a required tool use with text. */
function withOptionalTools(request: CreateMessageParams): CreateMessageParams {
  return request.toolChoice?.mode === 'required' ? { ...request, toolChoice: { mode: 'auto' } } : request;
}

/** Limits the concurrent requests of each server, and the share of one user. */
function createTurns(most: number): (asked: SamplingContext) => () => void {
  const servers = new Map<string, SharedLimit>();
  return ({ server, principal }) => {
    const running = servers.get(server) ?? new SharedLimit(most);
    const caller = getCallerKey(principal === undefined ? undefined : { principal }, undefined);
    if (!running.take(caller)) throw createLimitError(`More than ${most} sampling requests at once`, undefined);
    servers.set(server, running);
    return () => {
      running.release(caller);
      if (running.total === 0) servers.delete(server);
    };
  };
}
