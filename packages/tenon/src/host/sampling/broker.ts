import { type Clock, systemClock } from '../../cancellation/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { getCallerKey, SharedLimit } from '../../jsonrpc/shared-limit.js';
import type { CallerIdentity } from '../../protocol/caller-identity.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/input-requests.js';
import { checkResult } from './answer.js';
import { createAccounts, createChains, type TokenBudget } from './budget.js';
import { canTake, rank } from './choosing.js';
import { type Allow, requestConsent } from './consent.js';
import { countRounds, estimateTokens, getRequirements } from './content.js';
import { ask } from './generation.js';
import type { Model } from './model.js';
import { withGenerationTimeout } from './patience.js';
import { createInvalidError, createLimitError, createRejectedError } from './refusal.js';
import { type Review, runReview, type SamplingFacts } from './review.js';
import { judgeRequest, type RequestBounds } from './rules.js';

/** Options of the sampling broker. */
export interface BrokerOptions {
  /** In the order in which they are preferred where a server has no preference. */
  readonly models: readonly Model[];
  /** Has the last word: of the models that can be asked, best first, one. Undefined: the first. */
  readonly choose?:
    | ((candidates: readonly Model[], request: CreateMessageParams, who: SamplingRequester) => Model | undefined)
    | undefined;
  /**
   * Which servers may use which models. Without `review.before` it is needed: it is then all the consent there is, and a
   * server that it names can spend tokens and put questions to the model unseen.
   */
  readonly allow?: Allow | undefined;
  /** Limits on the tokens that servers may use. */
  readonly budget?: TokenBudget | readonly TokenBudget[] | undefined;
  /** Tokens that an answer may have, whatever the server asks for. Default 4,096. */
  readonly maxTokens?: number | undefined;
  /** How often tools may have been used in a conversation that goes on. Default 25. */
  readonly maxRounds?: number | undefined;
  /** How many requests one chain may make: those of one call, say. Default 100. */
  readonly maxPerChain?: number | undefined;
  /** Requests of one server that may be in flight. Default 8, of which one user may have half. */
  readonly maxAtOnce?: number | undefined;
  /** Time for the model to answer, in milliseconds; reviewers have theirs. Default 600,000. */
  readonly timeout?: number | undefined;
  /** Limits on the size of requests. */
  readonly bounds?: RequestBounds | undefined;
  /** Asks a person before a request goes to the model, or before its result goes to the server. */
  readonly review?: Review | undefined;
  /** Source of time, for tests. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** Who asks. */
export interface SamplingRequester extends CallerIdentity {
  /** The server, by its name in the host. */
  readonly server: string;
}

export interface SamplingContext extends Partial<CallerIdentity> {
  readonly server: string;
  readonly signal: AbortSignal;
  /** Names what the request belongs to, a call for instance: the requests of one chain are counted together. */
  readonly chain?: string | undefined;
}

/**
 * Lends models to servers. Rejects with what the server is told (`rpc/error`: -1 refused, -32602 broken, 429 too much),
 * or with what only the host may know: `sampling/late`, `sampling/aborted`, `sampling/choice`, `model/…`.
 */
export type Broker = (request: CreateMessageParams, asked: SamplingContext) => Promise<CreateMessageResult>;

const MAX_TOKENS = 4_096;
const MAX_ROUNDS = 25;
const MAX_PER_CHAIN = 100;
const MAX_AT_ONCE = 8;
const TIMEOUT = 600_000;

/**
 * Makes a broker between servers and models: it judges the request, chooses the model, keeps the budget, and has the user
 * look at what goes out and what comes back. It adds nothing to a request: `includeContext` brings no server what
 * another one, or the user's own conversation, has said. It keeps nothing of it either.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/sampling
 */
export function createBroker(options: BrokerOptions): Broker {
  const { allow, budget = [], review = {}, clock = systemClock } = options;
  if (allow === undefined && review.before === undefined)
    throw new TenonError('sampling/no-consent', 'nobody would be asked before a server uses a model', {
      hint: 'give `review.before`, which shows the user the request, or `allow`, which names the servers that may',
    });
  const accounts = createAccounts('window' in budget ? [budget] : budget, clock);
  const countChain = createChains(options.maxPerChain ?? MAX_PER_CHAIN);
  const takeTurn = createTurns(options.maxAtOnce ?? MAX_AT_ONCE);
  const asker = { timeout: options.timeout ?? TIMEOUT, clock };

  async function serve(request: CreateMessageParams, asked: SamplingContext): Promise<CreateMessageResult> {
    const { server, principal, issuer, clientId } = asked;
    const who: SamplingRequester = { server, principal, issuer, clientId };
    const sent = prepared(request, options);
    const model = chosen(sent, who, options);
    if (asked.chain !== undefined && !countChain(asked.chain))
      throw createRejectedError('too many requests in one call');
    const most = estimateTokens(sent) + sent.maxTokens;
    const reservation = accounts.reserve(who, most);
    const facts = { ...factsOf(request, who, model), signal: asked.signal };
    const wait = { signal: asked.signal, clock, peer: asked.server };
    let spent = 0;
    try {
      const before = (signal: AbortSignal) => runReview(review.before, sent, { ...facts, tokens: most, signal });
      const final = prepared(await withGenerationTimeout(before, wait), options, sent.maxTokens);
      demand([model], final);
      const answer = await ask(model, final, asked.signal, asker, tokens => {
        spent = tokens;
      });
      const result = checkResult(answer, final, model.name);
      const after = (signal: AbortSignal) => runReview(review.after, result, { ...facts, tokens: spent, signal });
      return checkResult(await withGenerationTimeout(after, wait), loosened(final), model.name);
    } finally {
      reservation.settle(spent);
    }
  }

  return async (request, asked) => {
    const rest = takeTurn(asked);
    try {
      return await serve(request, asked);
    } finally {
      rest();
    }
  };
}

/** What a model is sent of a request: nothing that asks for context, and nothing that is meant for a provider unseen. */
function prepared(request: CreateMessageParams, options: BrokerOptions, most?: number): CreateMessageParams {
  judgeRequest(request, options.bounds);
  const rounds = options.maxRounds ?? MAX_ROUNDS;
  if (countRounds(request) > rounds) throw createRejectedError(`tools were used more than ${rounds} times`);
  const { includeContext: _, metadata: __, ...rest } = request;
  const { _meta: ___, task: ____, ...sent } = rest as typeof rest & { _meta?: unknown; task?: unknown };
  return {
    ...sent,
    maxTokens: Math.min(request.maxTokens, options.maxTokens ?? MAX_TOKENS, most ?? request.maxTokens),
  };
}

function chosen(request: CreateMessageParams, who: SamplingRequester, { models, allow, choose }: BrokerOptions): Model {
  const open = requestConsent(models, allow, who);
  if (open.length === 0) throw createRejectedError('this server may use no model');
  demand(open, request);
  const candidates = rank(open, request);
  const model = choose?.(candidates, request, who) ?? candidates[0];
  if (model !== undefined && candidates.includes(model)) return model;
  throw new TenonError('sampling/choice', '`choose` returned a model that this request cannot be given to', {
    peer: who.server,
    hint: 'return one of the models that it is given',
  });
}

/** What none of the models takes is a fault of the request, which the server can mend. */
function demand(models: readonly Model[], request: CreateMessageParams): void {
  if (models.some(model => canTake(model, request))) return;
  const needs = Object.entries(getRequirements(request)).flatMap(([name, needed]) => (needed ? [name] : []));
  throw createInvalidError(`There is no model for a request with ${needs.join(' and ')}`);
}

/** `includeContext` may be anything, and means no more than that somebody asked. */
function factsOf(
  request: CreateMessageParams,
  who: SamplingRequester,
  model: Model,
): Omit<SamplingFacts, 'signal' | 'tokens'> {
  const { includeContext } = request;
  const wanted = includeContext === 'thisServer' || includeContext === 'allServers' ? includeContext : 'none';
  return { ...who, model: model.name, includeContext: wanted, rounds: countRounds(request) };
}

/** A reviewer may put words in the place of the use of a tool that the model was made to ask for. */
function loosened(request: CreateMessageParams): CreateMessageParams {
  return request.toolChoice?.mode === 'required' ? { ...request, toolChoice: { mode: 'auto' } } : request;
}

/** Bounds how many requests of each server are under way, and how many of them one user has. */
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
