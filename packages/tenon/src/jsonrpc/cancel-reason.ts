import { TenonError } from './error.js';

/** Longest reason of a cancellation that is sent, in characters. */
const MAX_REASON = 500;
/** Default reasons of the platform. They contain no information. */
const WITHOUT_REASON: ReadonlySet<string> = new Set([
  'This operation was aborted',
  'The operation was aborted',
  'The operation was aborted.',
  'signal is aborted without reason',
]);

/**
 * Creates the reason of a cancellation for the peer: the caller's text, or the time limit that was exceeded. Other
 * texts of an error are not sent, because they may name commands, paths and other peers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/cancellation
 */
export function getCancelReason(error: TenonError): string {
  if (error.code === 'call/timeout') return error.summary;
  return getOwnReason(error.code === 'call/aborted' ? error.cause : undefined) ?? 'The caller cancelled the request';
}

/**
 * Returns the text with which the signal was aborted. `undefined` if there is none, or if it comes from the library.
 */
function getOwnReason(reason: unknown): string | undefined {
  if (typeof reason === 'string') return reason === '' ? undefined : reason.slice(0, MAX_REASON);
  if (!(reason instanceof Error) || TenonError.is(reason)) return undefined;
  if (reason.name === 'TimeoutError') return 'The time limit of the caller has passed';
  const { message } = reason;
  return message === '' || WITHOUT_REASON.has(message) ? undefined : message.slice(0, MAX_REASON);
}
