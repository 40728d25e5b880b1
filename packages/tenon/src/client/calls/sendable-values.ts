import { findJsonLoss, JSON_VALUES, type JsonLoss, TenonError } from '@tenon/base';

/** The connection to which an application sends params. */
interface CheckedConnection {
  readonly peer: string;
  /** False if messages are passed by reference, without JSON. */
  readonly copiesMessages: boolean;
}

/**
 * Throws `call/unwritable` before a message is sent if JSON would lose a part of its params. Messages that are passed by
 * reference lose nothing.
 */
export function checkSendable(connection: CheckedConnection, method: string, params: unknown): void {
  if (connection.copiesMessages) requireSendable(params, 'call/unwritable', connection, method);
}

/** Throws if JSON would lose a part of a value that the application gives to the client. */
export function requireSendable(
  value: unknown,
  code: string,
  connection: { readonly peer: string | undefined },
  method: string,
): void {
  let loss: JsonLoss | undefined;
  try {
    loss = findJsonLoss(value, true);
  } catch (error) {
    throw TenonError.from(error, code, { peer: connection.peer, method });
  }
  if (loss)
    throw new TenonError(code, 'a value cannot be serialized as JSON', {
      peer: connection.peer,
      method,
      expected: JSON_VALUES,
      received: `${loss.kind} at ${loss.path}`,
      hint: 'pass it as text: String(value), or as a plain object or array',
    });
}
