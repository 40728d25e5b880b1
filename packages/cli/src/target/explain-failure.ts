import { isObject, withDetails } from '@tenon/base';
import { TenonError } from 'tenon';

/** Statuses of a web server that has no MCP endpoint at a path. */
const MISSING_STATUSES = [404, 405, 410, 501];
/** Requests that only clients send. */
const OPENING_METHODS = ['initialize', 'server/discover'];

/** Tells if a status of the first response means that there is no MCP endpoint at a URL. */
export const isMissingStatus = (status: number): boolean => MISSING_STATUSES.includes(status);

/** Tells if a message of a server is a request of this client. Programs such as `cat` repeat their input. */
export function isEchoedRequest(message: unknown): boolean {
  return isObject(message) && 'id' in message && OPENING_METHODS.some(method => method === message.method);
}

/**
 * Explains the error of a connection that could not be made. The first request changes nothing at the server, so
 * repeating it is harmless.
 *
 * @param hasEcho True if the program repeated a request.
 */
export function explainFailure(thrown: unknown, hasEcho: boolean): unknown {
  if (!TenonError.is(thrown)) return thrown;
  if (hasEcho) return createEchoError(thrown);
  const { code, status, received } = thrown;
  const isPage = code === 'peer/no-answer' && received?.includes('text/html');
  if (isPage || (code === 'http/status' && status !== undefined && isMissingStatus(status)))
    return createNoEndpointError(thrown, isPage ? 'a web page' : `HTTP ${status}`);
  if (code !== 'http/status' || status === undefined || status < 500 || !thrown.hint?.includes('effect')) return thrown;
  return withDetails(thrown, { hint: 'try again later, and see the logs of the server' });
}

function createNoEndpointError({ peer, status }: TenonError, found: string): TenonError {
  return new TenonError('http/no-endpoint', `no MCP endpoint at this URL (${found})`, {
    peer,
    status,
    hint: 'check the path, or run `tenon doctor` with this URL, which also tries other paths',
  });
}

function createEchoError({ peer }: TenonError): TenonError {
  return new TenonError('connect/no-server', 'the program repeats its input, so it is not an MCP server', {
    peer,
    hint: 'pass the command of an MCP server',
  });
}
