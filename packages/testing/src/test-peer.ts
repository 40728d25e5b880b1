import { isObject, type JsonObject, runWithTimeout, systemClock, type TenonError } from '@tenon/base';
import type { MessageReceiver, Transport } from 'tenon';
import { createRequest, createSuccess, type Id, isId, type JsonRpcRequest } from 'tenon/testing-internals';

/** Time for one response before a case fails, in milliseconds. */
const RESPONSE_TIMEOUT = 10_000;

/** A response, unchanged. */
export interface PeerResponse {
  /** ID of the request that the response belongs to. */
  readonly id?: unknown;
  /** Result, if the request succeeded. */
  readonly result?: unknown;
  /** Error, if the request failed. */
  readonly error?: unknown;
}

/** One side of a transport under test. Sends messages, and records all received ones. */
export interface TestPeer {
  /** The transport of this peer. */
  readonly transport: Transport;
  /** Receiver of the incoming messages. */
  readonly receiver: MessageReceiver;
  /** Creates a JSON-RPC request without sending it. */
  request(method: string, params: JsonObject, id?: Id): JsonRpcRequest;
  /** Sends a request and waits for its response. */
  call(method: string, params: JsonObject, id?: Id): Promise<PeerResponse>;
  /** Sets the handler for later requests of the other peer. */
  onRequest(method: string, handler: (params: JsonObject) => JsonObject): void;
  /** Returns the params of the received notifications of a method. */
  getNotifications(method: string): JsonObject[];
  /** Counts the responses whose IDs begin with the prefix. */
  countResponses(prefix: string): number;
  /** Resolves when the receiver was notified of the end. */
  readonly closed: Promise<void>;
  /** The argument of each `onClose` call. */
  readonly closeReasons: readonly (TenonError | undefined)[];
  /** Messages that arrived after the transport was closed. */
  readonly receivedAfterClose: readonly unknown[];
}

export function createTestPeer(transport: Transport): TestPeer {
  const waiting = new Map<Id, { resolve: (answer: PeerResponse) => void; reject: (error: Error) => void }>();
  const handlers = new Map<string, (params: JsonObject) => JsonObject>();
  const messages: JsonObject[] = [];
  const closeReasons: (TenonError | undefined)[] = [];
  const receivedAfterClose: unknown[] = [];
  let last = 0;
  let resolveClosed = () => {};
  const closed = new Promise<void>(resolve => {
    resolveClosed = resolve;
  });

  function message(value: unknown): void {
    if (closeReasons.length > 0) receivedAfterClose.push(value);
    if (!isObject(value)) return;
    messages.push(value);
    const { id, method, params } = value;
    if (!isId(id)) return;
    if (typeof method !== 'string') return waiting.get(id)?.resolve(value);
    const result = handlers.get(method)?.((params ?? {}) as JsonObject);
    if (result) void transport.send(createSuccess(id, result));
  }

  return {
    transport,
    receiver: {
      onMessage: message,
      onParseError: error => receivedAfterClose.push(...(closeReasons.length > 0 ? [error] : [])),
      onResponseLost: (id, error) => waiting.get(id)?.reject(error),
      onClose(error) {
        closeReasons.push(error);
        for (const { reject } of waiting.values()) reject(error ?? new Error('the transport was closed'));
        resolveClosed();
      },
    },
    request: (method, params, id = ++last) => createRequest(id, method, params),
    call(method, params, id = ++last) {
      const answer = new Promise<PeerResponse>((resolve, reject) => waiting.set(id, { resolve, reject }));
      Promise.resolve(transport.send(createRequest(id, method, params))).catch(error => waiting.get(id)?.reject(error));
      return waitForPeer(answer, `no answer to ${method}`).finally(() => waiting.delete(id));
    },
    onRequest: (method, handler) => void handlers.set(method, handler),
    getNotifications: method =>
      messages.flatMap(each => (each.method === method ? [(each.params ?? {}) as JsonObject] : [])),
    countResponses: prefix => messages.filter(({ id }) => typeof id === 'string' && id.startsWith(prefix)).length,
    get closed() {
      return waitForPeer(closed, 'the receiver was not told of the end');
    },
    closeReasons,
    receivedAfterClose,
  };
}

function waitForPeer<T>(promise: Promise<T>, message: string): Promise<T> {
  return runWithTimeout(() => promise, {
    clock: systemClock,
    timeout: RESPONSE_TIMEOUT,
    onTimeout() {
      throw new Error(`${message} within ${RESPONSE_TIMEOUT} ms`);
    },
  });
}

export function check(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}

/** Compares JSON values, regardless of the order of their members. */
export function assertEqual(actual: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(actual, sortMembers), JSON.stringify(expected, sortMembers)];
  check(one === other, `expected ${shorten(other)}, got ${shorten(one)}`);
}

function sortMembers(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function shorten(text: string | undefined): string {
  return (text ?? 'nothing').slice(0, 300);
}
