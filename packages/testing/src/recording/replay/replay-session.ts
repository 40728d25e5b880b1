import { INVALID_REQUEST, type JsonObject } from '@tenon/base';
import type { JsonRpcMessage } from 'tenon';
import {
  createFailure,
  type Id,
  isId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  readMeta,
} from 'tenon/testing-internals';
import type { ExchangeStep, RecordedExchange, RecordedSession } from '../recorded-sessions.js';
import { redactMessage } from '../redact-message.js';
import { isSubscription } from '../request-tracker.js';
import { compareJson } from './compare-json.js';
import {
  answerUnrecorded,
  createMismatchResponse,
  ExchangeMatcher,
  type ReplayMismatch,
  type ReplayMode,
} from './replay-matching.js';
import { rewriteServerMessage } from './rewrite-ids.js';

/** Recorded exchange that is being replayed for a request. */
interface ExchangeRun {
  readonly exchange: RecordedExchange | undefined;
  readonly steps: readonly ExchangeStep[];
  readonly request: JsonRpcRequest | undefined;
  /** Recorded IDs of the server's requests that the client has answered. */
  readonly answered: Set<Id>;
  position: number;
  hasResponse: boolean;
}

/** The client's end of a replayed connection. */
export interface ReplayPeer {
  readonly mode: ReplayMode;
  /** Sends a message to the client. `relatedTo` is the ID of the client's request that it belongs to. */
  send(message: JsonRpcMessage, relatedTo: Id | undefined): void;
  onMismatch(mismatch: ReplayMismatch): void;
}

/** Server's end of one connection, which sends what was recorded. */
export class ReplaySession {
  readonly #peer: ReplayPeer;
  readonly #opening: readonly ExchangeStep[];
  readonly #matcher: ExchangeMatcher;
  readonly #runs = new Set<ExchangeRun>();
  readonly #started = new Set<RecordedExchange>();
  /** Open requests to the client, by the IDs that it got. */
  readonly #sent = new Map<Id, { readonly run: ExchangeRun; readonly recordedId: Id }>();
  #isInitialized = false;
  #requests = 0;

  constructor(session: RecordedSession, sessions: readonly RecordedSession[], peer: ReplayPeer) {
    this.#peer = peer;
    this.#opening = session.opening;
    this.#matcher = new ExchangeMatcher(session, sessions, peer.mode);
  }

  /** Sends the messages that the server sent before the first request. */
  begin(): void {
    this.#start(undefined, undefined, this.#opening);
  }

  /** Number of requests without a response. Subscriptions do not count. */
  get inFlight(): number {
    return [...this.#runs].filter(
      ({ exchange, hasResponse }) => exchange && !isSubscription(exchange.request) && !hasResponse,
    ).length;
  }

  /** Recorded requests that the client has not sent. */
  get remaining(): readonly RecordedExchange[] {
    return this.#matcher.remaining;
  }

  /**
   * Answers a request as recorded.
   *
   * @param refuse Returns the response to a request that the recording does not contain, if it is no mismatch.
   */
  handleRequest(request: JsonRpcRequest, refuse?: () => JsonRpcResponse | undefined): void {
    const exchange = this.#matcher.take(request);
    if (exchange) return this.#start(request, exchange, exchange.steps);
    const response = refuse?.() ?? answerUnrecorded(request) ?? this.#createMismatch(request);
    this.#peer.send(response, request.id);
  }

  /** Answers an invalid request as recorded, else as servers do. */
  handleMalformed(id: Id, method: string): void {
    const exchange = this.#matcher.takeMalformed(method);
    if (exchange) this.#start({ ...exchange.request, id }, exchange, exchange.steps);
    else this.#peer.send(createFailure(id, { code: INVALID_REQUEST, message: 'Invalid request' }), id);
  }

  handleNotification({ method, params = {} }: JsonRpcNotification): void {
    if (method === 'notifications/cancelled' && isId(params.requestId)) this.cancel(params.requestId);
    if (method !== 'notifications/initialized') return;
    this.#isInitialized = true;
    this.#continueAll();
  }

  /** Compares the answer of the client to a replayed request with the recorded one. */
  handleResponse(response: JsonRpcResponse): void {
    const sent = isId(response.id) ? this.#sent.get(response.id) : undefined;
    if (sent === undefined || !isId(response.id)) return;
    this.#sent.delete(response.id);
    const { run, recordedId } = sent;
    run.answered.add(recordedId);
    const expected = run.steps.find(step => step.kind === 'wait-response' && step.id === recordedId);
    const difference = expected?.kind === 'wait-response' ? describeDifference(expected.response, response) : undefined;
    if (difference !== undefined && this.#peer.mode === 'strict') return this.#failRun(run, difference);
    this.#continueAll();
  }

  /** Ends the exchange of a request that the client has cancelled. */
  cancel(id: Id): void {
    for (const run of this.#runs) if (run.request?.id === id) this.#runs.delete(run);
  }

  end(): void {
    this.#runs.clear();
    this.#sent.clear();
  }

  #createMismatch(request: JsonRpcRequest): JsonRpcResponse {
    const mismatch = this.#matcher.describeMismatch(request);
    this.#peer.onMismatch(mismatch);
    return createMismatchResponse(request, mismatch);
  }

  #start(
    request: JsonRpcRequest | undefined,
    exchange: RecordedExchange | undefined,
    steps: readonly ExchangeStep[],
  ): void {
    if (exchange) this.#started.add(exchange);
    this.#runs.add({ exchange, steps, request, answered: new Set(), position: 0, hasResponse: false });
    this.#continueAll();
  }

  #continueAll(): void {
    for (const run of this.#runs) this.#continue(run);
  }

  #continue(run: ExchangeRun): void {
    for (let step = run.steps[run.position]; step && this.#runs.has(run); step = run.steps[run.position]) {
      if (!this.#isReady(step, run)) return;
      run.position += 1;
      if (step.kind === 'send') this.#emit(step.message, run);
    }
    // An exchange without a recorded response stays open, as it did in the recording.
    const isOpen = run.request !== undefined && run.exchange?.response === undefined;
    if (!isOpen) this.#runs.delete(run);
  }

  #isReady(step: ExchangeStep, { answered }: ExchangeRun): boolean {
    switch (step.kind) {
      case 'send':
        return true;
      case 'wait-response':
        return answered.has(step.id);
      case 'wait-request':
        return this.#started.has(step.exchange);
      case 'wait-initialized':
        return this.#isInitialized;
    }
  }

  #emit(message: JsonRpcMessage, run: ExchangeRun): void {
    const { request, exchange } = run;
    const token = readMeta(request?.params ?? {}).progressToken;
    // Without a token, the client wants no progress.
    if (isProgress(message) && exchange && !isId(token)) return;
    const isOwn = (id: Id) => id === exchange?.request.id;
    const rewritten = rewriteServerMessage(message, {
      clientId: id => (isOwn(id) ? request?.id : undefined),
      serverId: id => this.#toServerId(id, message, run),
      progressToken: () => (isId(token) ? token : undefined),
    });
    const isResponse = !('method' in message);
    if (isResponse) run.hasResponse = true;
    this.#peer.send(rewritten, isResponse || !run.hasResponse ? request?.id : undefined);
  }

  /** Chooses the ID of a request to the client, or finds the ID that was chosen. */
  #toServerId(recordedId: Id, message: JsonRpcMessage, run: ExchangeRun): Id | undefined {
    if (!('method' in message) || !('id' in message)) {
      return [...this.#sent].find(([, sent]) => sent.run === run && sent.recordedId === recordedId)?.[0];
    }
    this.#requests += 1;
    const id = `replay-${this.#requests}`;
    this.#sent.set(id, { run, recordedId });
    return id;
  }

  #failRun(run: ExchangeRun, message: string): void {
    const { request } = run;
    this.#runs.delete(run);
    this.#peer.onMismatch({ method: request?.method ?? '', message, line: run.exchange?.line });
    if (request && !run.hasResponse) {
      this.#peer.send(createFailure(request.id, { code: INVALID_REQUEST, message }), request.id);
    }
  }
}

const isProgress = (message: JsonRpcMessage): boolean =>
  'method' in message && message.method === 'notifications/progress';

/** Describes the difference between the answer of the client and the recorded one. */
function describeDifference(recorded: JsonRpcResponse, received: JsonRpcResponse): string | undefined {
  const toBody = (response: JsonRpcResponse): JsonObject => {
    if ('result' in response) return { result: response.result };
    return { error: { code: response.error.code } };
  };
  const [difference] = compareJson(toBody(recorded), toBody(redactMessage(received)));
  if (difference === undefined) return undefined;
  const { path, recorded: expected, received: other } = difference;
  return `The answer to a request of the server differs from the recording at ${path}. Expected ${JSON.stringify(expected) ?? 'no value'}, got ${JSON.stringify(other) ?? 'no value'}.`;
}
