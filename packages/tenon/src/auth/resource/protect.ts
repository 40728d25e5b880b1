import {
  checkAuthInfo,
  createErrorReporter,
  fetchWithGlobal,
  isObject,
  logError,
  type MaybePromise,
  requireResult,
  systemClock,
  thenMaybe,
  toRecordValues,
} from '@tenon/base';
import { memoryStores } from '../../stores/memory-stores.js';
import { RESOURCE_METADATA_PATH } from '../oauth/well-known-paths.js';
import { createScopeExpander, getDefaultPrincipal } from './claims.js';
import { createDpopNonces } from './dpop-nonces.js';
import { createErrorResponse, type ErrorResponseContext } from './error-response.js';
import { createIntrospector } from './introspection.js';
import { createIssuerKeys } from './issuer-keys.js';
import { createJwtVerifier } from './jwt-verifier.js';
import { type ProtectOptions, type ProtectSettings, resolveProtectOptions, type TrustedIssuer } from './options.js';
import { createOriginMetadata } from './origin-metadata.js';
import { type PresentedToken, readPresentedToken } from './presented-token.js';
import type { AuthRequest, AuthResult, TokenVerifier } from './request-authorizer.js';
import { createResourceMetadata, getResourceMetadataUrl } from './resource-metadata.js';
import { cacheTokens } from './token-cache.js';
import {
  createInvalidTokenError,
  isTokenError,
  type TokenError,
  type VerifiedToken,
  type VerifyToken,
} from './token-error.js';
import { type TokenProofOptions, type TokenProofResult, verifyTokenProof } from './token-proof.js';

const MINUTE = 60_000;

/**
 * Protects a server with access tokens: `serveHttp(server, { auth: protect({ resource, issuers }) })`. On Node `fetch`
 * is `fetchWithAddressCheck` by default.
 * @throws TenonError `auth/options` when the options would protect nothing.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function protect(options: ProtectOptions): TokenVerifier {
  const settings = resolveProtectOptions(options);
  const { resource, scopes = [] } = options;
  const verifyToken = createTokenVerifier(options, settings);
  const proofs = createProofOptions(options, settings);
  const responseContext: ErrorResponseContext = {
    resource,
    metadataUrl: getResourceMetadataUrl(resource),
    scopes,
    proofAlgorithms: proofs?.algorithms ?? [],
    proofRequired: settings.dpop?.required === true,
  };
  return {
    documents: createDocuments(options, settings),
    remoteDocuments: createOriginMetadata({
      resource,
      issuer: settings.originIssuer,
      clock: options.clock ?? systemClock,
      fetch: options.fetch ?? fetchWithGlobal,
      onError: createErrorReporter(options.onError ?? logError),
    }),
    challenge(request, needed) {
      const token = readPresentedToken(request);
      const isDpop = !isTokenError(token) && token.scheme === 'dpop';
      return (
        createErrorResponse({ error: 'insufficient-scope', scopes: [...scopes, ...needed] }, isDpop, responseContext)
          .headers ?? {}
      );
    },
    authorize(request) {
      const token = readPresentedToken(request);
      if (isTokenError(token)) return createErrorResponse(token, false, responseContext);
      return thenMaybe(verifyToken(token.token), verified => {
        if (isTokenError(verified)) return createErrorResponse(verified, token.scheme === 'dpop', responseContext);
        const proof = checkPossession(verified, token, request, { resource, proofs, responseContext });
        return thenMaybe(proof, result => createResult(verified, token, result, responseContext));
      });
    },
  };
}

/**
 * Creates the result for a valid token. A bound token also needs a valid proof, and every token needs all required
 * scopes.
 */
function createResult(
  { auth }: VerifiedToken,
  { scheme }: PresentedToken,
  proof: TokenProofResult,
  responseContext: ErrorResponseContext,
): AuthResult {
  const isDpop = scheme === 'dpop';
  if (isTokenError(proof)) return createErrorResponse(proof, isDpop, responseContext);
  const { scopes } = responseContext;
  if (scopes.length > 0) {
    const granted = new Set(auth.scopes);
    if (!scopes.every(scope => granted.has(scope)))
      return createErrorResponse({ error: 'insufficient-scope', scopes }, isDpop, responseContext);
  }
  return proof.nonce === undefined ? { auth } : { auth, headers: { 'dpop-nonce': proof.nonce } };
}

interface ProofContext {
  readonly resource: string;
  readonly proofs: TokenProofOptions | undefined;
  readonly responseContext: ErrorResponseContext;
}

/**
 * Checks that the authentication scheme fits the token. A bound token needs a proof. An unbound token cannot have one.
 */
function checkPossession(
  { jkt }: VerifiedToken,
  { scheme, token }: PresentedToken,
  request: AuthRequest,
  { resource, proofs, responseContext }: ProofContext,
): MaybePromise<TokenProofResult> {
  if (scheme === 'bearer') {
    if (jkt === undefined && !responseContext.proofRequired) return { nonce: undefined };
    const reason =
      jkt === undefined ? 'The token must be bound to a key' : 'The token is bound to a key: present it as DPoP';
    return { error: 'invalid-token', reason, ...(proofs ? { scheme: 'dpop' } : {}) } as TokenError;
  }
  if (proofs === undefined) return createInvalidTokenError('DPoP is not supported here');
  if (jkt === undefined) return createInvalidTokenError('The token is not bound to a key');
  const ownUrl = new URL(resource).origin + (request.mount ?? '') + request.path;
  const urls = ownUrl === resource ? [ownUrl] : [resource, ownUrl];
  return verifyTokenProof(request.header('dpop'), { method: request.method, urls, token, jkt }, proofs);
}

function createDocuments(
  { resource, scopes = [], name, metadata = {} }: ProtectOptions,
  { issuers, dpop }: ProtectSettings,
) {
  const document = createResourceMetadata({
    resource,
    issuers: issuers.map(each => each.issuer),
    scopes,
    name,
    proofAlgorithms: dpop?.algorithms,
    proofRequired: dpop?.required === true,
    additional: metadata,
  });
  const text = JSON.stringify(document);
  // Some clients look for the document at the root.
  return new Map([
    [new URL(getResourceMetadataUrl(resource)).pathname, text],
    [RESOURCE_METADATA_PATH, text],
  ]);
}

function createProofOptions(
  { clock = systemClock, stores }: ProtectOptions,
  { dpop }: ProtectSettings,
): TokenProofOptions | undefined {
  if (dpop === undefined) return undefined;
  const { nonces = false, maxProofAge, algorithms } = dpop;
  return {
    clock,
    maxProofAge,
    algorithms,
    nonces: nonces === false ? undefined : createDpopNonces(clock, nonces === true ? {} : nonces),
    usedProofs: toRecordValues((stores ?? memoryStores({ clock })).values),
    keyPrefix: 'dpop/',
  };
}

function createTokenVerifier(options: ProtectOptions, settings: ProtectSettings): VerifyToken {
  const { clock = systemClock, verify, introspection, clockTolerance = 30_000, resource } = options;
  const claimOptions = {
    getPrincipal: options.principal ?? getDefaultPrincipal,
    expandScopes: createScopeExpander(options.scopeHierarchy ?? {}),
  };
  if (verify) return createCustomVerifier(verify, claimOptions.expandScopes);
  const onError = createErrorReporter(options.onError ?? logError);
  const connection = { clock, fetch: options.fetch ?? fetchWithGlobal };
  const listAudiences = ({ audience: other }: TrustedIssuer) => (other === undefined ? [resource] : [resource, other]);
  const cacheOptions = { clock, maxTokens: options.tokenCacheSize ?? 10_000, ttl: options.tokenCacheTtl ?? 5 * MINUTE };
  const [first] = settings.issuers;
  if (introspection && first) {
    const rules = {
      issuer: first.issuer,
      audience: listAudiences(first),
      options: introspection,
      clockTolerance,
      onError,
    };
    return cacheTokens(createIntrospector({ ...claimOptions, ...connection, ...rules }), cacheOptions);
  }
  const issuers = settings.issuers.map(each => {
    const keys = createIssuerKeys({ ...connection, issuer: each.issuer, jwksUri: each.jwksUri, onError });
    return [each.issuer, { keys, audience: listAudiences(each) }] as const;
  });
  const { algorithms } = settings;
  const requireTokenType = options.tokenType === 'required';
  const rules = { ...claimOptions, clock, issuers: new Map(issuers), algorithms, requireTokenType, clockTolerance };
  return cacheTokens(createJwtVerifier(rules), cacheOptions);
}

function createCustomVerifier(
  verify: NonNullable<ProtectOptions['verify']>,
  expandScopes: ReturnType<typeof createScopeExpander>,
): VerifyToken {
  return async token => {
    const auth = await verify(token);
    if (!auth) return createInvalidTokenError();
    requireResult('the result of `verify`', auth, checkAuthInfo, 'auth/caller');
    const { cnf, exp } = auth.claims ?? {};
    const expiresAt = auth.expiresAt ?? (typeof exp === 'number' ? exp * 1000 : undefined);
    const jkt = isObject(cnf) && typeof cnf.jkt === 'string' ? cnf.jkt : undefined;
    return {
      auth: { ...auth, scopes: expandScopes(auth.scopes ?? []), ...(expiresAt === undefined ? {} : { expiresAt }) },
      jkt,
      expires: Number.NEGATIVE_INFINITY,
    };
  };
}
