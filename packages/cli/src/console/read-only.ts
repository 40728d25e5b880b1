/**
 * Requests with a body that change nothing: searches in messages, and files for the user. Their secrets are masked.
 * `POST wire/SEQ/reveal` is not one of them.
 */
const READING: readonly RegExp[] = [/^wire\/search$/, /^recordings\/[^/]+\/wire\/search$/, /^recordings$/, /^tests$/];

/** Requests that send messages to servers or start them, and those whose responses only an operator may see. */
const NOT_READING = /^(?:servers\/[^/]+\/doctor|callers)$/;

/** Tells if a request of the API is allowed for a page that is read-only. One that is not known here is not allowed. */
export function isReading(method: string | undefined, place: string): boolean {
  if (method === 'GET') return !NOT_READING.test(place);
  return method === 'POST' && READING.some(each => each.test(place));
}
