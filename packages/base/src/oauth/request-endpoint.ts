import { TenonError } from '../errors/error.js';
import type { JsonObject } from '../json/json-object.js';
import { parseJsonObject } from '../json/parse-json.js';
import { classifyFailure, createTransportFailure, type EndpointFailure, parseErrorBody } from './classify-failure.js';

/** Failed request to an endpoint of an authorization server. `toAuthError` converts it for the user. */
export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly failure: EndpointFailure;
  /** Invalid part of the response. Absent if the response is not a success. */
  readonly reason: string | undefined;

  constructor(failure: EndpointFailure, reason?: string) {
    super('the request to the authorization server failed');
    this.failure = failure;
    this.reason = reason;
  }
}

/** Document that an endpoint returns on success. */
export interface EndpointDocument<T> {
  /** Statuses of a success. The first one is that of the specification. */
  readonly statuses: readonly [number, ...number[]];
  /** Normalizes members that many servers send wrongly. */
  normalize(body: JsonObject): JsonObject;
  /** Validates the normalized response. */
  validate(response: Response): Promise<T>;
}

/**
 * Sends a request to an endpoint of an authorization server, and reads its response. All requests for tokens, device
 * codes and registrations pass here, so that one function decides about each failure. Sends the request once more when
 * the server requires another nonce in the proof.
 *
 * @throws EndpointError, or a TenonError of `GuardedFetch`
 */
export async function requestEndpoint<T>(send: () => Promise<Response>, document: EndpointDocument<T>): Promise<T> {
  try {
    return await readResponse(await send(), document);
  } catch (error) {
    if (!(error instanceof EndpointError) || !error.failure.requiresNonce) throw error;
    return readResponse(await send(), document);
  }
}

async function readResponse<T>(response: Response, { statuses, normalize, validate }: EndpointDocument<T>): Promise<T> {
  const { status, headers } = response;
  const body = await response.text();
  const value = statuses.includes(status) && !parseErrorBody(body) ? parseJsonObject(body) : undefined;
  const classify = () => classifyFailure({ status, body, header: name => headers.get(name) ?? undefined });
  if (value === undefined)
    throw new EndpointError(classify(), statuses.includes(status) ? 'a body that is not a JSON object' : undefined);
  try {
    const init = { status: statuses[0], headers: { 'content-type': 'application/json' } };
    return await validate(new Response(JSON.stringify(normalize(value)), init));
  } catch (error) {
    if (TenonError.is(error)) throw error;
    throw new EndpointError(classify(), error instanceof Error ? error.message : undefined);
  }
}

/** Tells if an error of `requestTokenResponse` means that the grant has ended. An overloaded server says nothing about it. */
export const isGrantRevoked = (error: unknown): boolean => getEndpointFailure(error)?.verdict === 'revoked';

/** Returns the failure behind an error of `requestEndpoint`. Undefined if the request was not sent as intended. */
export function getEndpointFailure(error: unknown): EndpointFailure | undefined {
  if (error instanceof EndpointError) return error.failure;
  if (!TenonError.is(error)) return undefined;
  if (error.code === 'auth/unreachable' || error.code === 'auth/timeout') return createTransportFailure('temporary');
  if (error.code === 'auth/too-large' || error.code === 'auth/redirected')
    return createTransportFailure('unrecognized');
  return undefined;
}
