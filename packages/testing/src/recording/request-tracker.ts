import { type JsonObject, toJsonObject } from '@tenon/base';
import type { JsonRpcMessage } from 'tenon';
import { type Id, isId, type JsonRpcRequest, readMeta, readNumericId, SUBSCRIPTION_ID } from 'tenon/testing-internals';

const LISTEN = 'subscriptions/listen';

interface TrackedRequest<T> {
  readonly request: JsonRpcRequest;
  readonly value: T;
}

/**
 * Requests of a client without a response, to find the request that a message of the server belongs to. Most transports
 * do not tell it.
 */
export class RequestTracker<T> {
  readonly #open = new Map<Id, TrackedRequest<T>>();

  add(request: JsonRpcRequest, value: T): void {
    // The latest request is the last one, also if its ID was used before.
    this.#open.delete(request.id);
    this.#open.set(request.id, { request, value });
  }

  /** Removes a request that has its response, and returns its value. The ID may be the text of a numeric one. */
  take(received: Id): T | undefined {
    const id = this.#open.has(received) ? received : (readNumericId(received) ?? received);
    const found = this.#open.get(id)?.value;
    this.#open.delete(id);
    return found;
  }

  /** IDs of all requests. */
  get ids(): Id[] {
    return [...this.#open.keys()];
  }

  /**
   * Finds the request that a notification or a request of the server belongs to: by the stream, the progress token or
   * the subscription, else the latest request.
   */
  find(message: JsonRpcMessage, relatedTo?: Id): T | undefined {
    const named = relatedTo === undefined ? undefined : this.#open.get(relatedTo);
    if (named) return named.value;
    const { progressToken, subscriptionId } = readReferences(message);
    const all = [...this.#open.values()];
    if (isId(subscriptionId)) return this.#open.get(subscriptionId)?.value;
    if (progressToken !== undefined) {
      return all.find(({ request }) => readMeta(request.params ?? {}).progressToken === progressToken)?.value;
    }
    return all.findLast(({ request }) => request.method !== LISTEN)?.value;
  }
}

/** Tells if a request stays open for the messages of a subscription. */
export function isSubscription({ method }: Pick<JsonRpcRequest, 'method'>): boolean {
  return method === LISTEN;
}

function readReferences(message: JsonRpcMessage): { progressToken: unknown; subscriptionId: unknown } {
  const params: JsonObject = 'params' in message ? toJsonObject(message.params) : {};
  const isProgress = 'method' in message && message.method === 'notifications/progress';
  return {
    progressToken: isProgress ? params.progressToken : undefined,
    subscriptionId: readMeta(params)[SUBSCRIPTION_ID],
  };
}
