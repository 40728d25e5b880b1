import { isForPeer, type JsonObject, TenonError } from '@tenon/base';
import { type Dialect, getSignInRequest } from 'tenon/host-internals';
import { toForwardedError } from 'tenon/proxy';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import type { HostGuard } from '../security/guard/host-guard.js';
import { toSignInError } from './sign-in-tools.js';
import { createUnansweredError } from './unanswered-error.js';

/** Request of a caller that has failed. */
interface FailedRequest {
  readonly connection: UpstreamConnection;
  readonly method: string;
  readonly params: JsonObject;
  /** Protocol version of the caller. */
  readonly dialect: Dialect;
  /**
   * False when no request was passed to the transport.
   * @default true
   */
  readonly wasSent?: boolean | undefined;
}

/**
 * Translates an error of a server or its connection to the error for the caller, in the form of the caller's protocol
 * version. The guard screens its texts.
 */
export function translateError(
  guard: Pick<HostGuard, 'screenError'>,
  error: unknown,
  request: FailedRequest,
): Promise<TenonError> {
  return guard.screenError(request.connection, request.method, toCallerError(error, request));
}

/** Translates an error as `translateError` does, without screening. */
export function toCallerError(
  error: unknown,
  { connection, method, params, dialect, wasSent = true }: FailedRequest,
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
