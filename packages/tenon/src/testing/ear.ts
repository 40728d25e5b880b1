import type { Channel, Receiver } from '../jsonrpc/channel.js';
import { systemClock } from '../jsonrpc/clock.js';
import type { TenonError } from '../jsonrpc/error.js';
import { type Id, isId, isObject, type JsonObject, type Request, request, success } from '../jsonrpc/message.js';

/** How long one answer may take before a case fails, in milliseconds. */
const PATIENCE = 10_000;

/** An answer as it came. */
export interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** One end of a road under test: talks, and remembers all that it heard. */
export interface Ear {
  readonly channel: Channel;
  readonly receiver: Receiver;
  request(method: string, params: JsonObject, id?: Id): Request;
  /** Sends a request and waits for its answer. */
  call(method: string, params: JsonObject, id?: Id): Promise<Answer>;
  /** Answers the requests of the other end from here on. */
  answer(method: string, how: (params: JsonObject) => JsonObject): void;
  /** The params of the notifications of a method that have come. */
  heard(method: string): JsonObject[];
  /** How many answers have come to ids that begin so. */
  answers(prefix: string): number;
  /** Settles when the receiver was told of the end. */
  readonly closed: Promise<void>;
  /** With what it was told, each time. */
  readonly endings: readonly (TenonError | undefined)[];
  readonly afterTheEnd: readonly unknown[];
}

export function hear(channel: Channel): Ear {
  const waiting = new Map<Id, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  const answering = new Map<string, (params: JsonObject) => JsonObject>();
  const messages: JsonObject[] = [];
  const endings: (TenonError | undefined)[] = [];
  const afterTheEnd: unknown[] = [];
  let last = 0;
  let end = () => {};
  const closed = new Promise<void>(resolve => {
    end = resolve;
  });

  function message(value: unknown): void {
    if (endings.length > 0) afterTheEnd.push(value);
    if (!isObject(value)) return;
    messages.push(value);
    const { id, method, params } = value;
    if (!isId(id)) return;
    if (typeof method !== 'string') return waiting.get(id)?.resolve(value);
    const result = answering.get(method)?.((params ?? {}) as JsonObject);
    if (result) void channel.send(success(id, result));
  }

  return {
    channel,
    receiver: {
      message,
      unreadable: error => afterTheEnd.push(...(endings.length > 0 ? [error] : [])),
      lost: (id, error) => waiting.get(id)?.reject(error),
      closed(error) {
        endings.push(error);
        for (const { reject } of waiting.values()) reject(error ?? new Error('the channel was closed'));
        end();
      },
    },
    request: (method, params, id = ++last) => request(id, method, params),
    call(method, params, id = ++last) {
      const answer = new Promise<Answer>((resolve, reject) => waiting.set(id, { resolve, reject }));
      Promise.resolve(channel.send(request(id, method, params))).catch(error => waiting.get(id)?.reject(error));
      return inTime(answer, `no answer to ${method}`).finally(() => waiting.delete(id));
    },
    answer: (method, how) => void answering.set(method, how),
    heard: method => messages.flatMap(each => (each.method === method ? [(each.params ?? {}) as JsonObject] : [])),
    answers: prefix => messages.filter(({ id }) => typeof id === 'string' && id.startsWith(prefix)).length,
    get closed() {
      return inTime(closed, 'the receiver was not told of the end');
    },
    endings,
    afterTheEnd,
  };
}

function inTime<T>(promise: Promise<T>, otherwise: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const off = systemClock.after(PATIENCE, () => reject(new Error(`${otherwise} within ${PATIENCE} ms`)));
    promise.then(resolve, reject).finally(off);
  });
}

export function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** Compares JSON values, whatever the order of their members. */
export function same(got: unknown, expected: unknown): void {
  const [one, other] = [JSON.stringify(got, inOrder), JSON.stringify(expected, inOrder)];
  check(one === other, `expected ${shown(other)}, got ${shown(one)}`);
}

function inOrder(_: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function shown(text: string | undefined): string {
  return (text ?? 'nothing').slice(0, 300);
}
