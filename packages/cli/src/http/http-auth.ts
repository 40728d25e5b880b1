import { protect } from 'tenon/auth';
import type { ServeHttpOptions } from 'tenon/node';
import { createUsageError, readVariable } from '../usage-error.js';
import { createSecretCheck } from './secret-check.js';

/** Authorization options of the HTTP server. */
export interface HttpAuthOptions {
  /** Name of the environment variable that contains the token of all callers. */
  readonly bearerEnv?: string;
  readonly issuer?: string;
  /** URL of the endpoint for clients. */
  readonly audience?: string;
}

export type HttpAuth = Pick<ServeHttpOptions, 'auth' | 'authorize'>;

/** Principal of all callers with the shared token. */
export const BEARER_PRINCIPAL = 'bearer';
/** Minimum length of a token, in characters, because short tokens can be guessed. */
const MIN_TOKEN_LENGTH = 16;

/**
 * Creates the authorization of the HTTP server.
 *
 * @param path Path of the endpoint. Default: the path of the audience.
 */
export function createHttpAuth(
  options: HttpAuthOptions,
  env: Readonly<Record<string, string | undefined>>,
  path?: string,
): HttpAuth {
  const { bearerEnv, issuer, audience } = options;
  if (bearerEnv !== undefined && issuer !== undefined) {
    throw createUsageError('--bearer-env and --issuer exclude each other', 'pass only one of them');
  }
  if (bearerEnv !== undefined) return createTokenAuth(readVariable(env, bearerEnv, '--bearer-env'));
  if ((issuer === undefined) !== (audience === undefined)) {
    throw createUsageError(
      '--issuer and --audience require each other',
      'pass both: the issuer of tokens, and the URL of this server',
    );
  }
  if (issuer === undefined || audience === undefined) return {};
  const resource = path === undefined ? audience : new URL(path, audience).href;
  return { auth: protect({ resource, issuers: [issuer] }) };
}

function createTokenAuth(token: string): HttpAuth {
  if (token.length < MIN_TOKEN_LENGTH) {
    throw createUsageError(
      '--bearer-env: the token in this variable is too short',
      `use a token of at least ${MIN_TOKEN_LENGTH} characters: openssl rand -hex 32`,
    );
  }
  const isExpected = createSecretCheck(`Bearer ${token}`);
  return {
    authorize(request) {
      const authorization = request.header('authorization') ?? '';
      if (isExpected(authorization.replace(/^bearer /i, 'Bearer '))) return { auth: { principal: BEARER_PRINCIPAL } };
      return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
    },
  };
}
