import { INTERNAL_ERROR, INVALID_REQUEST } from '@tenon/base';
import { type ChallengeToWrite, formatChallenges, OFFLINE_ACCESS } from '@tenon/base/oauth';
import { createFailure } from '../../jsonrpc/message.js';
import type { AuthResult } from './request-authorizer.js';
import type { TokenError } from './token-error.js';

export interface ErrorResponseContext {
  /** URL of the MCP endpoint. */
  readonly resource: string;
  /** URL of the resource metadata. */
  readonly metadataUrl: string;
  /** Scopes that every request needs. */
  readonly scopes: readonly string[];
  /** Accepted signature algorithms of DPoP proofs. */
  readonly proofAlgorithms: readonly string[];
  readonly proofRequired: boolean;
}

/** Value of `Retry-After` in seconds, for a token that could not be verified. */
const RETRY_AFTER = '10';

const STATUS_BY_ERROR = {
  missing: 401,
  malformed: 400,
  'invalid-token': 401,
  'invalid-proof': 401,
  'nonce-wanted': 401,
  'insufficient-scope': 403,
  unavailable: 503,
} as const;

const OAUTH_ERRORS = {
  missing: undefined,
  malformed: 'invalid_request',
  'invalid-token': 'invalid_token',
  'invalid-proof': 'invalid_dpop_proof',
  'nonce-wanted': 'use_dpop_nonce',
  'insufficient-scope': 'insufficient_scope',
} as const;

/**
 * Creates the response to a refused request.
 *
 * @param dpop True if the request used the `DPoP` scheme.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-7.1
 */
export function createErrorResponse(tokenError: TokenError, dpop: boolean, context: ErrorResponseContext): AuthResult {
  const status = STATUS_BY_ERROR[tokenError.error];
  if (tokenError.error === 'unavailable') {
    return {
      status,
      headers: { 'retry-after': RETRY_AFTER },
      body: formatErrorBody('The token cannot be judged for now'),
    };
  }
  const headers = {
    'www-authenticate': formatChallenges([createChallenge(tokenError, dpop, context)]),
    ...(tokenError.error === 'nonce-wanted' ? { 'dpop-nonce': tokenError.nonce } : {}),
  };
  return { status, headers, body: formatErrorBody(describeTokenError(tokenError, context), INVALID_REQUEST) };
}

function createChallenge(
  tokenError: Exclude<TokenError, { error: 'unavailable' }>,
  dpop: boolean,
  context: ErrorResponseContext,
): ChallengeToWrite {
  const requiresProof = context.proofRequired || dpop || 'nonce' in tokenError || tokenError.error === 'invalid-proof';
  const scopes = tokenError.error === 'insufficient-scope' ? tokenError.scopes : context.scopes;
  const scope = [...new Set(scopes)].filter(each => each !== OFFLINE_ACCESS).join(' ');
  const params = {
    error: OAUTH_ERRORS[tokenError.error],
    error_description: tokenError.error === 'missing' ? undefined : describeTokenError(tokenError, context),
    scope: scope === '' || tokenError.error === 'malformed' ? undefined : scope,
    resource_metadata: context.metadataUrl,
  };
  const isBound = tokenError.error === 'invalid-token' && tokenError.scheme === 'dpop';
  return requiresProof || isBound
    ? { scheme: 'DPoP', params: { ...params, algs: context.proofAlgorithms.join(' ') } }
    : { scheme: 'Bearer', params };
}

function describeTokenError(tokenError: TokenError, context: ErrorResponseContext): string {
  if ('reason' in tokenError) return tokenError.reason;
  if (tokenError.error === 'nonce-wanted') return 'The proof needs the nonce of this server';
  if (tokenError.error === 'insufficient-scope') return 'The token lacks a scope that this request needs';
  // The next step for a person who opens the URL in a browser, or with a client that cannot sign in.
  const { resource, metadataUrl, proofRequired } = context;
  return (
    `${resource}: the request has no access token. Expected the header "Authorization: ${proofRequired ? 'DPoP' : 'Bearer'} <token>". ` +
    `Sign in at an authorization server that ${metadataUrl} names, and send its token.`
  );
}

function formatErrorBody(message: string, code: number = INTERNAL_ERROR): string {
  return JSON.stringify(createFailure(undefined, { code, message }));
}
