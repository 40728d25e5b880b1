/**
 * Tells if an HTTP status is about time or load, or a failure of the server or of a proxy: it says nothing about the request,
 * which may succeed later.
 */
export function isTemporaryStatus(status: number): boolean {
  return status >= 500 || status === 408 || status === 425 || status === 429;
}
