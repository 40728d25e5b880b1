import { type JsonObject, type MaybePromise, TenonError } from '@tenon/base';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { createUnansweredError } from './unanswered-error.js';

/** Maximum number of times that one request is resolved. */
const MAX_ATTEMPTS = 3;

/**
 * Forwards a request to the server to which it was resolved. An update of the host may close the connection before the
 * request is sent, for example while the audit log is written or the user is asked. The request is then resolved and
 * authorized again, because the server or the policy may be another one.
 *
 * @param resolve Resolves the request again.
 */
export async function forwardResolved<Route extends { readonly connection: UpstreamConnection }>(
  first: Route,
  method: string,
  resolve: () => MaybePromise<Route>,
  forwardTo: (route: Route) => Promise<JsonObject>,
): Promise<JsonObject> {
  let route = first;
  for (let attempt = 1; ; attempt++) {
    if (route.connection.isClosed) route = await resolve();
    const release = route.connection.reserveCall();
    try {
      return await forwardTo(route);
    } catch (error) {
      if (!isClosedBeforeSending(error)) throw error;
      if (attempt === MAX_ATTEMPTS) throw createUnansweredError(error, route.connection.server, method, false);
    } finally {
      release();
    }
  }
}

/** Tells if nothing was sent. An error of a server never has this code. */
export function isClosedBeforeSending(error: unknown): error is TenonError {
  return TenonError.is(error) && error.code === 'host/closed';
}
