/**
 * Tells if an HTTP status is about time or load, or a failure of the server or of a proxy: it says nothing about the request,
 * which may succeed later.
 */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}

/**
 * Tells if an HTTP status is about time or load, or of a proxy without its server. 500 and 501 are not: a server may
 * respond so to each request of this kind.
 */
export function isUnavailableStatus(status: number): boolean {
  return isTemporaryStatus(status) && status !== 500 && status !== 501;
}
