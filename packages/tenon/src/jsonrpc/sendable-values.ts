import { findJsonLoss, JSON_VALUES, type JsonLoss, TenonError } from '@tenon/base';

/**
 * Throws if JSON would lose a part of a value that the application sends to the peer. `connection` names the peer, and is
 * read only for an error.
 */
export function requireSendable(
  subject: string,
  value: unknown,
  code: string,
  connection?: { readonly peer: string },
  method?: string,
): void {
  let loss: JsonLoss | undefined;
  try {
    loss = findJsonLoss(value, true);
  } catch (error) {
    throw TenonError.from(error, code, { peer: connection?.peer, method });
  }
  if (loss)
    throw new TenonError(code, `${subject} cannot be serialized as JSON`, {
      peer: connection?.peer,
      method,
      expected: JSON_VALUES,
      received: `${loss.kind} at ${loss.path || '/'}`,
      hint: 'pass it as text: String(value), or as a plain object or array',
    });
}
