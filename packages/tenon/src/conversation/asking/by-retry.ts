import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { methods } from '../../model/methods.js';
import type { Inputs } from '../../model/shapes.js';
import type { Ask, Asking } from './asking.js';
import { canonical } from './canonical.js';
import { isSealed, type Seal } from './seal.js';

/** What has been answered so far, in the order in which it was asked. */
interface Journal {
  answers: { key: string; question: string; answer?: JsonObject }[];
  /** The handler's own state, when it also returns questions itself. */
  own?: string;
}

export interface RetryFacts {
  readonly seal: Seal;
  /** Whom and what the state is bound to: principal, method and arguments. */
  readonly boundTo: () => string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly inputs: Inputs;
  /** Says no when the client can not be asked this. */
  readonly check: (method: string, params: JsonObject) => void;
}

/** How long the client may take for one round, in milliseconds. */
const STATE_LIFE = 15 * 60_000;
const MAX_ROUNDS = 32;

/**
 * A question ends the call; the retry brings the answer and what was answered before, sealed. The handler is entered
 * again from the top and each question that has its answer returns it at once.
 */
export function byRetry(facts: RetryFacts): Asking {
  return async asker => {
    const { journal, round, own } = await opened(facts);
    const pending: { key: string; method: string; params: JsonObject }[] = [];
    const suspended = deferred<JsonObject>();
    let asked = 0;

    const ask: Ask = (method, params) => {
      facts.check(method, params);
      const key = `ask-${asked++}`;
      const question = canonical([method, params]);
      const entry = journal.answers.find(answer => answer.key === key);
      if (entry && entry.question !== question) return Promise.reject(changed(key));
      if (entry?.answer) return Promise.resolve(entry.answer);
      if (!entry) journal.answers.push({ key, question });
      pending.push({ key, method, params });
      // Questions that are asked together travel together: those that follow in this turn still join.
      if (pending.length === 1) afterThisTurn(() => suspended.resolve({}));
      return new Promise(() => {});
    };

    const result = await Promise.race([asker(ask, own), suspended.promise]);
    if (pending.length > 0) return questions(pending, await sealed(facts, journal, round + 1));
    if (result.resultType !== 'input_required' || journal.answers.length === 0) return result;
    const carried = typeof result.requestState === 'string' ? { own: result.requestState } : {};
    return { ...result, requestState: await sealed(facts, { ...journal, ...carried }, round + 1) };
  };
}

async function opened(facts: RetryFacts): Promise<{ journal: Journal; round: number; own: Inputs }> {
  const { requestState, inputResponses } = facts.inputs;
  if (requestState === undefined || !isSealed(requestState)) {
    return { journal: { answers: [] }, round: 0, own: facts.inputs };
  }
  const state = await facts.seal.open(requestState, facts.boundTo());
  if (!state || !(Number(state.expires) > facts.now))
    throw rpcError(INVALID_PARAMS, 'Invalid params: requestState is not valid');
  const round = Number(state.round);
  if (round > MAX_ROUNDS)
    throw rpcError(INVALID_PARAMS, 'Invalid params: requestState has been through too many rounds');
  const journal = state.journal as unknown as Journal;
  for (const entry of journal.answers) {
    const answer = (inputResponses as JsonObject | undefined)?.[entry.key];
    if (entry.answer === undefined && answer !== undefined) entry.answer = fitting(entry.question, answer);
  }
  const { own } = journal;
  return {
    journal,
    round,
    own: { ...(inputResponses ? { inputResponses } : {}), ...(own === undefined ? {} : { requestState: own }) },
  };
}

function fitting(question: string, answer: unknown): JsonObject {
  const [method] = JSON.parse(question) as [keyof typeof methods];
  const problem = methods[method].result(answer, '/inputResponses');
  if (problem || !isObject(answer)) throw rpcError(INVALID_PARAMS, `Invalid params: ${problem}`);
  return answer;
}

function sealed({ seal, boundTo, now }: RetryFacts, journal: Journal, round: number): Promise<string> {
  return seal.seal({ journal, round, expires: now + STATE_LIFE }, boundTo());
}

function questions(
  pending: readonly { key: string; method: string; params: JsonObject }[],
  requestState: string,
): JsonObject {
  const inputRequests = Object.fromEntries(pending.map(({ key, method, params }) => [key, asRequest(method, params)]));
  return { resultType: 'input_required', inputRequests, requestState };
}

function asRequest(method: string, params: JsonObject): JsonObject {
  return Object.keys(params).length === 0 ? { method } : { method, params };
}

function changed(key: string): TenonError {
  return new TenonError('handler/not-deterministic', `the handler asked something else than before (${key})`, {
    next: 'what a handler asks may depend on its arguments and on earlier answers only',
  });
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>(settle => {
    resolve = settle;
  });
  return { promise, resolve };
}

declare function setTimeout(run: () => void, ms: number): unknown;

function afterThisTurn(run: () => void): void {
  setTimeout(run, 0);
}
