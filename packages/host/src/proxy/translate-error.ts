import { INTERNAL_ERROR, isForPeer, isObject, rpcError, TenonError, toPublicText } from '@tenon/base';
import { urlElicitationRequired } from 'tenon';
import { type Dialect, getDialect, getSignInRequest, isReservedCode } from 'tenon/host-internals';
import type { UpstreamConnection } from '../connections/upstream-connection.js';
import { toSignInError } from './sign-in-tools.js';
import { createUnansweredError } from './unanswered-error.js';

/**
 * Translates an error of a server or its connection to the error for the caller, in the form of the caller's protocol
 * version.
 *
 * @param wasSent False when no request was passed to the transport.
 */
export function translateError(
  error: unknown,
  connection: UpstreamConnection,
  method: string,
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
  const serverDialect = connection.openClient && getDialect(connection.openClient.server.protocolVersion);
  if (serverDialect && error.rpcCode === serverDialect.errors.urlElicitationRequired)
    return toUrlElicitationError(error);
  const notFound =
    serverDialect !== undefined && method === 'resources/read' && isResourceNotFound(error, serverDialect);
  if (notFound) return rpcError(dialect.errors.resourceNotFound, error.summary, error.data);
  // The host would seem to refuse the request of the caller itself.
  const code = isReservedCode(error.rpcCode) ? INTERNAL_ERROR : error.rpcCode;
  return rpcError(code, toPublicText(error.summary), error.data);
}

function isResourceNotFound({ rpcCode, data, summary }: TenonError, { errors }: Dialect): boolean {
  return rpcCode === errors.resourceNotFound && (isObject(data) ? 'uri' in data : /not found/i.test(summary));
}

/** Converts the required URL elicitations to the error of the caller's protocol version. */
function toUrlElicitationError({ data, rpcCode, summary }: TenonError): TenonError {
  const elicitations = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  const urls = elicitations.filter(each => isObject(each) && typeof each.url === 'string');
  return urls.length > 0 ? urlElicitationRequired(...(urls as never[])) : rpcError(rpcCode as number, summary, data);
}
