import {
  createCausedError,
  EXECUTED,
  hasExecuted,
  INTERNAL_ERROR,
  isForPeer,
  isObject,
  type JsonObject,
  requireKnownOptions,
  rpcError,
  TenonError,
  toJsonObject,
  toPublicText,
  UNKNOWN_OUTCOME,
} from '@tenon/base';
import { mayHaveExecuted } from '../client/calls/call-outcome.js';
import { isReadOnly } from '../protocol/methods.js';
import { createUnsupportedError } from '../protocol/missing-capabilities.js';
import { isReservedCode } from '../protocol/reserved-codes.js';
import { getDialect } from '../protocol/versions/index.js';
import { urlElicitationRequired } from '../server/methods/url-elicitation.js';
import type { RequestContext } from '../server/request-context.js';

/** Capabilities of a client that a server may require for a request. */
const FORWARDED_CAPABILITIES = ['elicitation', 'sampling', 'roots', 'tasks', 'extensions'];

/** Options of `toForwardedError`. */
export interface ForwardedErrorOptions {
  /** Method of the request. */
  readonly method: string;
  /** Request of the caller. Its protocol version has the codes of the error. */
  readonly requestContext: Pick<RequestContext, 'dialect'>;
  /**
   * Params of the request. A message about an invalid member then names the member: `at /arguments/city: expected …`.
   * @default the names of members are hidden, as paths of files are
   */
  readonly params?: JsonObject | undefined;
  /**
   * Protocol version of the connection to the upstream server, if it is known.
   * @default codes of the server that depend on its version pass unchanged
   */
  readonly serverVersion?: string | undefined;
}

/**
 * Converts an error of an upstream server to the error for the caller: code, message and data of the server, in the
 * protocol version of the caller. An error without a response becomes an internal error without details. Its `data.outcome`
 * is `unknown` if the server may have executed the request, and `executed` if it has, and its result was refused.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic
 */
export function toForwardedError(error: unknown, options: ForwardedErrorOptions): TenonError {
  requireKnownOptions('toForwardedError', options, {
    method: true,
    requestContext: true,
    serverVersion: true,
    params: true,
  });
  const { method, requestContext, params } = options;
  if (!TenonError.is(error) || isForPeer(error) || error.code.startsWith('client/')) return TenonError.from(error);
  if (error.rpcCode === undefined || error.code.startsWith('stdio/')) {
    if (hasExecuted(error.data)) {
      const summary = `the server has carried out ${method}, and its result was refused. Do not send the request again`;
      return createCausedError(error, INTERNAL_ERROR, summary, { code: error.code, ...EXECUTED });
    }
    const isOpen = !isReadOnly(method) && mayHaveExecuted(error);
    const summary = `the server did not respond correctly to ${method}${isOpen ? ', and may have carried it out' : ''}`;
    return createCausedError(error, INTERNAL_ERROR, summary, { code: error.code, ...(isOpen ? UNKNOWN_OUTCOME : {}) });
  }
  const { dialect } = requestContext;
  const serverDialect = options.serverVersion === undefined ? undefined : getDialect(options.serverVersion);
  const { rpcCode, data, summary } = error;
  if (rpcCode === serverDialect?.errors.urlElicitationRequired) {
    const elicitations = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
    const urls = elicitations.filter(each => isObject(each) && typeof each.url === 'string');
    return urls.length > 0 ? urlElicitationRequired(...(urls as never[])) : rpcError(rpcCode, summary, data);
  }
  if (method === 'resources/read' && rpcCode === serverDialect?.errors.resourceNotFound) {
    const isNotFound = isObject(data) ? 'uri' in data : /not found/i.test(summary);
    if (isNotFound) return rpcError(dialect.errors.resourceNotFound, summary, data);
  }
  // The caller's version has no code for it, and its tools return the reason in a result.
  if (rpcCode === serverDialect?.errors.missingCapability && dialect.errors.missingCapability === undefined) {
    const required = toJsonObject(toJsonObject(data).requiredCapabilities);
    const missing = FORWARDED_CAPABILITIES.filter(name => required[name] !== undefined);
    if (missing.length > 0)
      return createUnsupportedError(dialect, Object.fromEntries(missing.map(name => [name, required[name]])));
  }
  // The proxy would seem to refuse the request of the caller itself.
  const code = isReservedCode(rpcCode) ? INTERNAL_ERROR : rpcCode;
  return rpcError(code, toPublicText(summary, [params, params?.arguments]), data);
}
