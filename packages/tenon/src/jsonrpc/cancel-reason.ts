import { TenonError } from './error.js';

/** Longest reason of a cancellation that is sent, in characters. */
const MAX_REASON = 500;
/** The reasons that the platform gives by itself: they say nothing of why. */
const WITHOUT_REASON: ReadonlySet<string> = new Set([
  'This operation was aborted',
  'The operation was aborted',
  'The operation was aborted.',
  'signal is aborted without reason',
]);

/**
 * Writes the reason of a cancellation for the peer: the caller's own words, or what is known of a time limit. Nothing else
 * of an error crosses, because it may name commands, paths and other peers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/cancellation
 */
export function getCancelReason(error: TenonError): string {
  if (error.code === 'call/timeout') return error.summary;
  return getOwnReason(error.code === 'call/aborted' ? error.cause : undefined) ?? 'The caller cancelled the request';
}

/** The words of whoever aborted a signal; `undefined` when there are none, or when they are the library's own. */
function getOwnReason(reason: unknown): string | undefined {
  if (typeof reason === 'string') return reason === '' ? undefined : reason.slice(0, MAX_REASON);
  if (!(reason instanceof Error) || TenonError.is(reason)) return undefined;
  if (reason.name === 'TimeoutError') return 'The time limit of the caller has passed';
  const { message } = reason;
  return message === '' || WITHOUT_REASON.has(message) ? undefined : message.slice(0, MAX_REASON);
}
