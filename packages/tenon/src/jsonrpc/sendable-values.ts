import { findJsonLoss, JSON_VALUES, type JsonLoss, TenonError } from '@tenon/base';

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
