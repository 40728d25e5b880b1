import { isObject } from '../json/json-object.js';

/** Maximum delay that a peer can request by a header, in milliseconds. */
const MAX_RETRY_AFTER = 3_600_000;
/** Maximum delay of a timer, in milliseconds. A quota may end in hours or days. */
const MAX_DELAY = 2 ** 31 - 1;

/**
 * Parses the header `Retry-After` to milliseconds. Only the form in seconds is read, because the date depends on the
 * clock of the server.
 */
export function parseRetryAfter(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Math.min(Number(value) * 1000, MAX_RETRY_AFTER) : undefined;
}

/** Returns the time after which a request may be sent again, in milliseconds, if the data of its error has it. */
export function getRetryAfterMs(data: unknown): number | undefined {
  const retryAfterMs = isObject(data) ? data.retryAfterMs : undefined;
  const isValid = typeof retryAfterMs === 'number' && retryAfterMs >= 0 && Number.isFinite(retryAfterMs);
  return isValid ? Math.min(retryAfterMs, MAX_DELAY) : undefined;
}
