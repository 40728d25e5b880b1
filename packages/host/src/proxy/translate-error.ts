import { isForPeer, type JsonObject, TenonError } from '@tenon/base';
import { type Dialect, getSignInRequest } from 'tenon/host-internals';
import { toForwardedError } from 'tenon/proxy';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { toSignInError } from './sign-in-tools.js';
import { createUnansweredError } from './unanswered-error.js';

/**
 * Translates an error of a server or its connection to the error for the caller, in the form of the caller's protocol
 * version.
 *
 * @param params Params of the request.
 * @param wasSent False when no request was passed to the transport.
 */
export function translateError(
  error: unknown,
  connection: UpstreamConnection,
  method: string,
  params: JsonObject,
  dialect: Dialect,
  wasSent = true,
): TenonError {
  // For a tool call, the host requests the sign-in from the caller itself.
  if (getSignInRequest(error))
    return TenonError.from(method === 'tools/call' ? error : toSignInError(error, connection.scope, dialect));
  if (!TenonError.is(error) || isForPeer(error)) return TenonError.from(error);
  if (error.code.startsWith('client/')) return error;
  if (error.rpcCode === undefined || error.code.startsWith('stdio/'))
    return createUnansweredError(error, connection.server, method, wasSent);
  const serverVersion = connection.openClient?.server.protocolVersion;
  return toForwardedError(error, { method, requestContext: { dialect }, params, serverVersion });
}
