import { TenonError } from '@tenon/base';

/** A deviation of a peer from the protocol that does not change the meaning of a message. */
export type Deviation =
  | 'null-member'
  | 'mistyped-member'
  | 'missing-list'
  | 'missing-method'
  | 'bare-resource'
  | 'log-level'
  | 'method-name'
  | 'string-id'
  | 'batch';

/** A connection to a peer, as far as it concerns deviations. */
export interface TolerantConnection {
  /** Name of the peer in errors. */
  readonly peer?: string | undefined;
  /** True if each deviation is refused. */
  readonly strict?: boolean | undefined;
  onError(error: TenonError): void;
}

/** The deviations that each connection has already reported. */
const reported = new WeakMap<object, Set<Deviation>>();

/**
 * Tells if a deviation is tolerated. Reports the first one of its kind on each connection to `onError`, with the code
 * `peer/deviation`. Returns false with `strict`.
 */
export function tolerate(
  connection: TolerantConnection,
  deviation: Deviation,
  method: string | undefined,
  summary: string,
): boolean {
  if (connection.strict) return false;
  const known = reported.get(connection) ?? new Set();
  if (known.has(deviation)) return true;
  reported.set(connection, known.add(deviation));
  connection.onError(
    new TenonError('peer/deviation', summary, {
      peer: connection.peer,
      method,
      hint: 'report it to the author of the peer, or pass `strict: true` to refuse it',
      data: { deviation },
    }),
  );
  return true;
}
