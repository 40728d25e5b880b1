import { TenonError, toPublicText } from '@tenon/base';

/**
 * Creates the error of an input request that has no response. The text of a handler's error is shown without secrets and
 * paths, because a server that calls another one may send it to its own client.
 *
 * @param missing Error if there is no handler. Otherwise the handler failed with `cause`.
 */
export function createUnansweredRequestError(
  method: string,
  peer: string,
  missing: TenonError | undefined,
  cause: unknown,
): TenonError {
  const reason = missing ? '' : ', because its handler failed';
  return new TenonError('call/unanswered-request', `the client could not answer ${method}${reason}`, {
    peer,
    received: missing?.message ?? describeCause(cause),
    hint: missing
      ? 'pass a handler for it to `connect`, or call with `resolveInputRequests: false` and answer it yourself'
      : 'read `cause` for the error of the handler. The server got no response',
    cause,
  });
}

/** The library itself writes the texts about invalid responses. They contain pointers to members, and no paths of files. */
function describeCause(cause: unknown): string {
  if (TenonError.is(cause) && cause.code.startsWith('answer/')) return cause.summary;
  return toPublicText(cause instanceof Error ? cause.message : String(cause));
}
