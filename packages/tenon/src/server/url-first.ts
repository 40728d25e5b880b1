import { lacking, missingCapability, unable } from '../conversation/capability.js';
import { rpcError, TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ElicitUrlParams } from '../model/asking.js';
import type { Inputs } from '../model/shapes.js';
import type { Turn } from './turn.js';

const REQUIRED = 'elicitation/required';
const OURS = /^visit-\d+$/;

/** A URL to be visited before a request can go on. */
export interface UrlToVisit {
  readonly message: string;
  readonly url: string;
  /** What `server.elicited` names it by. Default: one that is made up. */
  readonly elicitationId?: string | undefined;
}

declare const crypto: { randomUUID(): string };

/**
 * What a handler throws when the user has to visit URLs before the request can go on: to sign in somewhere, say. The
 * client is told in the way of its revision, and makes the request again when the user is done: look then whether that
 * is so. https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export function urlRequired(...urls: readonly UrlToVisit[]): TenonError {
  const elicitations = urls.map(({ elicitationId = crypto.randomUUID(), ...rest }) => ({
    mode: 'url',
    elicitationId,
    ...rest,
  }));
  return new TenonError(REQUIRED, 'The user has to visit a URL first', { data: elicitations });
}

export function isUrlRequired(
  error: unknown,
): error is TenonError & { readonly data: (ElicitUrlParams & { elicitationId: string })[] } {
  return TenonError.is(error) && error.code === REQUIRED;
}

/**
 * Says it in the words of the dialect: a question where requests are made again with answers, else an error with a code.
 * Who was asked before and would not go is not asked again.
 */
export function askToVisit(error: unknown, turn: Turn, { inputResponses = {} }: Inputs): JsonObject {
  if (!isUrlRequired(error)) throw error;
  if (
    Object.entries(inputResponses).some(
      ([key, answer]) => OURS.test(key) && (answer as { action?: unknown }).action !== 'accept',
    )
  )
    throw new TenonError('client/declined', 'The user did not want to visit the URL that has to be visited first');
  const { dialect, caller } = turn;
  const lacks = lacking('elicitation/create', { mode: 'url' }, caller.capabilities);
  if (dialect.asking === 'by-retry') {
    if (lacks) throw missingCapability(dialect, lacks);
    return question(error.data);
  }
  const code = dialect.errors.urlElicitationRequired;
  if (lacks && code !== undefined && dialect.needsSession) throw unable(dialect, lacks);
  if (lacks || code === undefined)
    throw new TenonError('client/lacks', 'The client can not ask the user to visit a URL', { data: lacks });
  for (const { elicitationId } of error.data) turn.elicits?.(elicitationId);
  throw rpcError(code, error.message, { elicitations: error.data });
}

function question(elicitations: readonly ElicitUrlParams[]): JsonObject {
  const requests = elicitations.map(({ mode, message, url }, index) => [
    `visit-${index}`,
    { method: 'elicitation/create', params: { mode, message, url } },
  ]);
  return { resultType: 'input_required', inputRequests: Object.fromEntries(requests) };
}
