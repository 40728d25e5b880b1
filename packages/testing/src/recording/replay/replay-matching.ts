import { INVALID_REQUEST, METHOD_NOT_FOUND, TenonError } from '@tenon/base';
import { createFailure, createSuccess, type JsonRpcRequest, type JsonRpcResponse } from 'tenon/testing-internals';
import type { RecordedExchange, RecordedSession } from '../recorded-sessions.js';
import {
  type ComparableRequest,
  countDifferences,
  findNearest,
  formatRequest,
  getComparable,
  toComparable,
} from './match-requests.js';

/** Rule by which requests are matched with the recorded ones. */
export type ReplayMode = 'strict' | 'lenient';

/** Request or answer of a client that is not in the recording. */
export interface ReplayMismatch {
  /** Method of the request. */
  readonly method: string;
  /** Description, which the client also gets as an error. */
  readonly message: string;
  /** Line of the expected or nearest recorded request. Absent if there is none. */
  readonly line?: number | undefined;
}

/** Requests that clients send at different times, or not at all. A strict replay does not require them. */
export const OPTIONAL_METHODS: ReadonlySet<string> = new Set(['server/discover', 'ping']);

/** Finds the recorded exchanges for the requests of one client. */
export class ExchangeMatcher {
  readonly #session: RecordedSession;
  readonly #all: readonly RecordedExchange[];
  readonly #mode: ReplayMode;
  readonly #used = new Set<RecordedExchange>();

  /** @param sessions All sessions. A lenient replay also answers with exchanges of the others. */
  constructor(session: RecordedSession, sessions: readonly RecordedSession[], mode: ReplayMode) {
    this.#session = session;
    this.#mode = mode;
    this.#all = [session, ...sessions.filter(each => each !== session)].flatMap(({ exchanges }) => exchanges);
  }

  /** Exchanges of the session that no request has used. */
  get remaining(): RecordedExchange[] {
    return this.#session.exchanges.filter(
      exchange => !this.#used.has(exchange) && !OPTIONAL_METHODS.has(exchange.request.method),
    );
  }

  /** Finds the exchange of a request, and marks it as used. */
  take(request: JsonRpcRequest): RecordedExchange | undefined {
    const comparable = toComparable(request);
    const found = this.#mode === 'strict' ? this.#findStrict(comparable) : this.#findLenient(comparable);
    if (found) this.#used.add(found);
    return found;
  }

  /** Finds the next exchange of a request that the server received in an invalid form, and marks it as used. */
  takeMalformed(method: string): RecordedExchange | undefined {
    const found = this.#session.exchanges.find(
      exchange => exchange.isMalformed && exchange.request.method === method && !this.#used.has(exchange),
    );
    if (found) this.#used.add(found);
    return found;
  }

  /**
   * Finds the next exchange in the recorded order. Requests that were sent before the response to it have no order
   * among each other.
   */
  #findStrict(request: ComparableRequest): RecordedExchange | undefined {
    let end = Number.POSITIVE_INFINITY;
    for (const exchange of this.#session.exchanges) {
      if (this.#used.has(exchange)) continue;
      if (exchange.line > end) break;
      if (getComparable(exchange).key === request.key && !exchange.isMalformed) return exchange;
      if (!OPTIONAL_METHODS.has(exchange.request.method)) end = Math.min(end, exchange.responseLine);
    }
    const isOptional = OPTIONAL_METHODS.has(request.method);
    return isOptional ? this.#all.find(each => getComparable(each).key === request.key) : undefined;
  }

  /** Finds an equal request, else the nearest one with the same method and name. */
  #findLenient(request: ComparableRequest): RecordedExchange | undefined {
    const equal = this.#all.filter(exchange => getComparable(exchange).key === request.key);
    if (equal.length > 0) return equal.find(exchange => !this.#used.has(exchange)) ?? equal.at(-1);
    const { method, name } = request;
    const candidates = this.#all.filter(exchange => {
      const recorded = getComparable(exchange);
      return recorded.method === method && recorded.name === name;
    });
    const ranked = candidates.map(exchange => ({
      exchange,
      rank: 2 * countDifferences(request, getComparable(exchange)) + (this.#used.has(exchange) ? 1 : 0),
    }));
    return ranked.sort((a, b) => a.rank - b.rank)[0]?.exchange;
  }

  /** Describes a request that has no exchange. */
  describeMismatch(request: JsonRpcRequest): ReplayMismatch {
    const comparable = toComparable(request);
    const expected = this.#mode === 'strict' ? this.remaining[0] : findNearest(comparable, this.#all);
    const nearest = findNearest(comparable, this.#all);
    const { message } = new TenonError('replay/not-recorded', 'the request does not match the recording', {
      expected: expected ? describeExchange(expected) : 'no further request',
      received: formatRequest(comparable),
      hint:
        nearest && nearest !== expected
          ? `check the nearest recorded request, ${describeExchange(nearest)}`
          : undefined,
    });
    return { method: request.method, message, line: (expected ?? nearest)?.line };
  }
}

function describeExchange(exchange: RecordedExchange): string {
  return `${formatRequest(getComparable(exchange))} (line ${exchange.line})`;
}

/** Returns the response to a request that the recording need not contain: a ping, or the probe for a version. */
export function answerUnrecorded({ id, method }: JsonRpcRequest): JsonRpcResponse | undefined {
  if (method === 'ping') return createSuccess(id, {});
  if (method !== 'server/discover') return undefined;
  return createFailure(id, {
    code: METHOD_NOT_FOUND,
    message: 'Method not found: server/discover is not in the recording',
  });
}

/** Creates the response to a request that is not in the recording. */
export function createMismatchResponse({ id }: JsonRpcRequest, { message }: ReplayMismatch): JsonRpcResponse {
  return createFailure(id, { code: INVALID_REQUEST, message });
}
