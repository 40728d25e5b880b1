import { getSignInRequest } from '../../auth/sign-in-required.js';
import { isReading } from '../../client/judgement.js';
import { mayBeCarriedOut } from '../../client/outcome.js';
import type { Dialect } from '../../dialects/dialect.js';
import { dialectOf } from '../../dialects/index.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { isForPeer, rpcError, TenonError } from '../../jsonrpc/error.js';
import { isObject } from '../../jsonrpc/message.js';
import { urlRequired } from '../../server/url-first.js';
import type { Line } from '../upstream/line.js';
import { shown } from '../upstream/shown.js';
import { toSignInError } from './signing-in.js';

/**
 * What a caller is told of an error that a server answered, or that happened on the way to it: in the words of its own revision.
 * `wasSent` is false when no request was handed to the transport.
 */
export function crossed(error: unknown, line: Line, method: string, dialect: Dialect, wasSent = true): TenonError {
  // A tool asks its caller by itself.
  if (getSignInRequest(error))
    return TenonError.from(method === 'tools/call' ? error : toSignInError(error, line.audience, dialect));
  if (!TenonError.is(error) || isForPeer(error)) return TenonError.from(error);
  if (error.code.startsWith('client/')) return error;
  if (error.rpc === undefined || error.code.startsWith('stdio/'))
    return unreachable(error, line.server, method, wasSent);
  const theirs = line.open && dialectOf(line.open.server.revision);
  if (theirs && error.rpc === theirs.errors.urlElicitationRequired) return mustVisit(error);
  const notFound = theirs !== undefined && method === 'resources/read' && isNotFound(error, theirs);
  return rpcError(notFound ? dialect.errors.resourceNotFound : error.rpc, error.summary, error.data);
}

function isNotFound({ rpc, data, summary }: TenonError, { errors }: Dialect): boolean {
  return rpc === errors.resourceNotFound && (isObject(data) ? 'uri' in data : /not found/i.test(summary));
}

/** The URLs that have to be visited first: said in the way of the caller's revision. */
function mustVisit({ data, rpc, summary }: TenonError): TenonError {
  const elicitations = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  const urls = elicitations.filter(each => isObject(each) && typeof each.url === 'string');
  return urls.length > 0 ? urlRequired(...(urls as never[])) : rpcError(rpc as number, summary, data);
}

/** The server gave no answer: said without what is this host's own affair. */
export function unreachable(error: TenonError, server: string, method: string, wasSent = true): TenonError {
  const { code } = error;
  const isOpen = wasSent && !isReading(method) && mayBeCarriedOut(error);
  const mayHaveRun = isOpen ? ' It may have been carried out.' : '';
  const reason = code.startsWith('call/not-')
    ? `does not offer ${method}`
    : `gave no answer to ${method} (${code}: ${shown(error)}).${mayHaveRun}`;
  return rpcError(INTERNAL_ERROR, `The server "${server}" ${reason}`, {
    server,
    code,
    ...(isOpen ? { outcome: 'unknown' } : {}),
  });
}
