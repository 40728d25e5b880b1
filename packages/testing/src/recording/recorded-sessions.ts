import { toCanonicalJson } from '@tenon/base';
import type { JsonRpcMessage } from 'tenon';
import type { Id, JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from 'tenon/testing-internals';
import type { RecordedMessage, Recording } from './recording.js';
import { isSubscription, RequestTracker } from './request-tracker.js';

const INITIALIZED = 'notifications/initialized';

/** Step of the server in a recorded exchange: it sends a message, or waits for one of the client. */
export type ExchangeStep =
  | { readonly kind: 'send'; readonly message: JsonRpcMessage }
  | { readonly kind: 'wait-response'; readonly id: Id; readonly response: JsonRpcResponse }
  | { readonly kind: 'wait-request'; readonly exchange: RecordedExchange }
  | { readonly kind: 'wait-initialized' };

/** Request of a client, and all messages that belong to it. */
export interface RecordedExchange {
  readonly line: number;
  readonly request: JsonRpcRequest;
  /** True if the server received the request in an invalid form, because of an injected fault. */
  readonly isMalformed?: boolean;
  /** Steps of the server, in their order. They may continue after the response. */
  readonly steps: readonly ExchangeStep[];
  readonly response: JsonRpcResponse | undefined;
  /** Line of the response. Infinite if there is none. */
  readonly responseLine: number;
}

/** Messages of one connection. */
export interface RecordedSession {
  readonly number: number;
  /** Steps of the server before the first request. */
  readonly opening: readonly ExchangeStep[];
  readonly exchanges: readonly RecordedExchange[];
  readonly messages: readonly RecordedMessage[];
}

/**
 * Groups the messages of a recording by connection and by request. Messages that an injected fault has lost before they
 * reached the server are left out, and messages of a resumed stream that follow their first form.
 */
export function toSessions({ messages }: Recording): RecordedSession[] {
  const builders = new Map<string, SessionBuilder>();
  for (const message of messages) {
    const key = JSON.stringify([message.server, message.session]);
    const builder = builders.get(key) ?? new SessionBuilder(builders.size + 1);
    builders.set(key, builder);
    builder.add(message);
  }
  return [...builders.values()];
}

interface ExchangeBuilder extends RecordedExchange {
  readonly steps: ExchangeStep[];
  response: JsonRpcResponse | undefined;
  responseLine: number;
  /** The latest exchange that the next message of a subscription waits for. */
  gate: RecordedExchange | undefined;
}

class SessionBuilder implements RecordedSession {
  readonly number: number;
  readonly opening: ExchangeStep[] = [];
  readonly exchanges: ExchangeBuilder[] = [];
  readonly messages: RecordedMessage[] = [];
  readonly #open = new RequestTracker<ExchangeBuilder>();
  /** Exchanges of the server's requests, by ID. */
  readonly #serverRequests = new Map<Id, ExchangeStep[]>();
  #waitsForInitialized = false;
  /** Text of the message before which the stream was cut. A resumed stream has it again. */
  #cut: string | undefined;

  constructor(number: number) {
    this.number = number;
  }

  add(recorded: RecordedMessage): void {
    const { message, dir, line, relatedTo, fault } = recorded;
    if (dir === 'send' && (fault?.kind === 'drop' || fault?.kind === 'cut')) return;
    if (dir === 'recv' && this.#isResumed(recorded)) return;
    this.messages.push(recorded);
    if ('method' in message) {
      if (dir === 'recv') this.#addServerMessage(message, relatedTo);
      else if ('id' in message) this.#addRequest(message, line, fault?.kind === 'malformed');
      else if (message.method === INITIALIZED) this.#waitsForInitialized = true;
      return;
    }
    if (message.id === undefined || message.id === null) return;
    if (dir === 'recv') this.#addResponse(message, message.id, line);
    else this.#serverRequests.get(message.id)?.push({ kind: 'wait-response', id: message.id, response: message });
  }

  #isResumed({ message, fault }: RecordedMessage): boolean {
    const before = this.#cut;
    const text = before === undefined && fault?.kind !== 'cut' ? undefined : toCanonicalJson(message);
    this.#cut = fault?.kind === 'cut' ? text : undefined;
    return text !== undefined && text === before;
  }

  #addRequest(request: JsonRpcRequest, line: number, isMalformed: boolean): void {
    const exchange: ExchangeBuilder = {
      line,
      request,
      isMalformed,
      steps: [],
      response: undefined,
      responseLine: Number.POSITIVE_INFINITY,
      gate: undefined,
    };
    this.exchanges.push(exchange);
    this.#open.add(request, exchange);
  }

  #addResponse(response: JsonRpcResponse, id: Id, line: number): void {
    const exchange = this.#open.take(id);
    if (exchange === undefined) return;
    exchange.steps.push({ kind: 'send', message: response });
    exchange.response = response;
    exchange.responseLine = line;
  }

  #addServerMessage(message: JsonRpcRequest | JsonRpcNotification, relatedTo: Id | undefined): void {
    const exchange = this.#open.find(message, relatedTo) ?? this.exchanges.at(-1);
    const steps = exchange?.steps ?? this.opening;
    if (this.#waitsForInitialized) steps.push({ kind: 'wait-initialized' });
    this.#waitsForInitialized = false;
    if (exchange && isSubscription(exchange.request)) this.#addGate(exchange);
    steps.push({ kind: 'send', message });
    if ('id' in message) this.#serverRequests.set(message.id, steps);
  }

  /** A message of a subscription follows the requests that were sent before it. */
  #addGate(exchange: ExchangeBuilder): void {
    const latest = this.exchanges.at(-1);
    if (latest === undefined || latest === exchange || latest === exchange.gate) return;
    exchange.gate = latest;
    exchange.steps.push({ kind: 'wait-request', exchange: latest });
  }
}
