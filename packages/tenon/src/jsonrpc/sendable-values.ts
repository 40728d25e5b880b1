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
  if (connection.copiesMessages)
    requireSendable('a value', params, 'call/unwritable', { peer: connection.peer, method });
}

/** Throws if JSON would lose a part of a value that the application sends to the peer. */
export function requireSendable(
  subject: string,
  value: unknown,
  code: string,
  request: { readonly peer?: string | undefined; readonly method?: string } = {},
): void {
  let loss: JsonLoss | undefined;
  try {
    loss = findJsonLoss(value, true);
  } catch (error) {
    throw TenonError.from(error, code, request);
  }
  if (loss)
    throw new TenonError(code, `${subject} cannot be serialized as JSON`, {
      ...request,
      expected: JSON_VALUES,
      received: `${loss.kind} at ${loss.path || '/'}`,
      hint: 'pass it as text: String(value), or as a plain object or array',
    });
}
