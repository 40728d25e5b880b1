import { isObject, type JsonObject } from '@tenon/base';

/** Members with values that a server chooses and a client returns, by the member that returns them. */
const RETURNED_AS: ReadonlyMap<string, string> = new Map([
  ['nextCursor', 'cursor'],
  ['requestState', 'requestState'],
  ['taskId', 'taskId'],
]);
/** Members whose values differ between two runs of a server. */
export const OPAQUE_MEMBERS: readonly string[] = [...RETURNED_AS.keys(), 'elicitationId'];
const RETURNING = new Set(RETURNED_AS.values());

/**
 * Values that a server chose: cursors, states and IDs of tasks. A recorded request contains those of the recorded
 * server, and another server needs its own.
 */
export class OpaqueValues {
  readonly #received = new Map<string, string>();

  /** Learns the values in a result, by the recorded result. */
  learn(recorded: unknown, received: unknown): void {
    if (Array.isArray(recorded) && Array.isArray(received)) {
      for (const [index, each] of recorded.entries()) this.learn(each, received[index]);
    }
    if (!isObject(recorded) || !isObject(received)) return;
    for (const [name, value] of Object.entries(recorded)) {
      const other = received[name];
      if (RETURNED_AS.has(name) && typeof value === 'string' && typeof other === 'string') {
        this.#received.set(value, other);
      } else this.learn(value, other);
    }
  }

  /** Replaces the recorded values in the params of a request. */
  replaceIn(params: JsonObject): JsonObject {
    return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, this.#replaceMember(name, value)]));
  }

  #replaceMember(name: string, value: unknown): unknown {
    if (RETURNING.has(name) && typeof value === 'string') return this.#received.get(value) ?? value;
    return isObject(value) ? this.replaceIn(value) : value;
  }
}
