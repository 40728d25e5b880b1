import { TenonError } from '../errors/error.js';

/** Maximum length of a cancellation reason that is sent, in characters. */
const MAX_REASON = 500;
/** Default abort reasons of the platform, which contain no information, and no text. */
const WITHOUT_REASON = /^(Th(is|e) operation was aborted\.?|signal is aborted without reason|)$/;

/**
 * Creates the reason of a cancellation for the peer: the caller's text, or the time limit that was exceeded. Other
 * texts of an error are not sent, because they may name commands, paths and other peers.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/utilities/cancellation
 */
export function getCancelReason(error: TenonError): string {
  if (error.code === 'call/timeout') return error.summary;
  return getOwnReason(error.code === 'call/aborted' ? error.cause : undefined) ?? 'The caller cancelled the request';
}

/**
 * Returns the text with which the caller aborted the signal. Returns `undefined` if there is none, or if the library
 * wrote it.
 */
function getOwnReason(reason: unknown): string | undefined {
  if (typeof reason === 'string') return reason === '' ? undefined : reason.slice(0, MAX_REASON);
  if (!(reason instanceof Error) || TenonError.is(reason)) return undefined;
  if (reason.name === 'TimeoutError') return 'The time limit of the caller has passed';
  const { message } = reason;
  return WITHOUT_REASON.test(message) ? undefined : message.slice(0, MAX_REASON);
}
