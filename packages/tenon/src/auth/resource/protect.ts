import { systemClock } from '../../jsonrpc/clock.js';
import type { TenonError } from '../../jsonrpc/error.js';
import { isObject } from '../../jsonrpc/message.js';
import { memoryStores } from '../../stores/memory.js';
import type { AuthFetch } from '../guarded-fetch.js';
import { jwtCheck } from './bearer.js';
import { principalOf, widening } from './claims.js';
import { rememberGood } from './good-tokens.js';
import { introspectionCheck } from './introspection.js';
import { createIssuerKeys } from './issuer-keys.js';
import { metadataOf, metadataPaths, metadataUrl } from './metadata.js';
import { createNonces } from './nonces.js';
import { type ProtectOptions, type Settings, settingsOf, type TrustedIssuer } from './options.js';
import { createOriginMetadata, type LoadDocument } from './origin-metadata.js';
import { type Presented, readPresented } from './presented.js';
import { type GoodToken, invalidToken, isProblem, type Problem, type TokenCheck } from './problem.js';
import { checkProof, type ProofOutcome, type ProofRules } from './proof.js';
import type { Protection, RequestFacts } from './protection.js';
import { type RefusalFacts, refusal } from './refusal.js';

const MINUTE = 60_000;

/**
 * Protects a server by access tokens: `serveHttp(server, { auth: protect({ resource, issuers }) })`. Throws `auth/options`
 * when that would protect nothing. https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function protect(options: ProtectOptions): Protection {
  const settings = settingsOf(options);
  const { resource, scopes = [] } = options;
  const check = tokenCheck(options, settings);
  const proofs = proofRules(options, settings);
  const facts: RefusalFacts = {
    resource,
    metadata: metadataUrl(resource),
    scopes,
    proofs: proofs?.algorithms ?? [],
    proofRequired: settings.dpop?.required === true,
  };
  return {
    documents: documentsOf(options, settings),
    remoteDocuments: readRemoteDocuments(options, settings),
    challenge(request, needed) {
      const presented = readPresented(request);
      const dpop = !isProblem(presented) && presented.scheme === 'dpop';
      return refusal({ problem: 'insufficient-scope', scopes: [...scopes, ...needed] }, dpop, facts).headers ?? {};
    },
    async authorize(request) {
      const presented = readPresented(request);
      if (isProblem(presented)) return refusal(presented, false, facts);
      const dpop = presented.scheme === 'dpop';
      const good = await check(presented.token);
      if (isProblem(good)) return refusal(good, dpop, facts);
      const proven = await prove(good, presented, request, { resource, proofs, facts });
      if (isProblem(proven)) return refusal(proven, dpop, facts);
      const has = new Set(good.auth.scopes);
      if (!scopes.every(scope => has.has(scope)))
        return refusal({ problem: 'insufficient-scope', scopes }, dpop, facts);
      const { nonce } = proven;
      return { auth: good.auth, ...(nonce === undefined ? {} : { headers: { 'dpop-nonce': nonce } }) };
    },
  };
}

interface Proving {
  readonly resource: string;
  readonly proofs: ProofRules | undefined;
  readonly facts: RefusalFacts;
}

/** A token that is bound to a key is worth nothing without it; one that is not can not be proven. */
async function prove(
  { jkt }: GoodToken,
  { scheme, token }: Presented,
  request: RequestFacts,
  { resource, proofs, facts }: Proving,
): Promise<ProofOutcome> {
  if (scheme === 'bearer') {
    if (jkt === undefined && !facts.proofRequired) return { nonce: undefined };
    const why =
      jkt === undefined ? 'The token must be bound to a key' : 'The token is bound to a key: present it as DPoP';
    return { problem: 'invalid-token', why, ...(proofs ? { scheme: 'dpop' } : {}) } as Problem;
  }
  if (proofs === undefined) return invalidToken('DPoP is not supported here');
  if (jkt === undefined) return invalidToken('The token is not bound to a key');
  const own = new URL(resource).origin + (request.mount ?? '') + request.path;
  const urls = own === resource ? [own] : [resource, own];
  return checkProof(request.header('dpop'), { method: request.method, urls, token, jkt }, proofs);
}

function documentsOf({ resource, scopes = [], name, metadata = {} }: ProtectOptions, { issuers, dpop }: Settings) {
  const document = metadataOf({
    resource,
    issuers: issuers.map(each => each.issuer),
    scopes,
    name,
    proofs: dpop?.algorithms,
    proofRequired: dpop?.required === true,
    more: metadata,
  });
  const text = JSON.stringify(document);
  return new Map(metadataPaths(resource).map(path => [path, text]));
}

function readRemoteDocuments(options: ProtectOptions, { originIssuer: issuer }: Settings) {
  if (issuer === undefined) return new Map<string, LoadDocument>();
  const { clock = systemClock, fetch = globalFetch, onProblem: problem = complain, resource } = options;
  return createOriginMetadata({ resource, issuer, clock, fetch, problem });
}

function proofRules({ clock = systemClock, stores }: ProtectOptions, { dpop }: Settings): ProofRules | undefined {
  if (dpop === undefined) return undefined;
  const { nonces = false, window, algorithms } = dpop;
  return {
    clock,
    window,
    algorithms,
    nonces: nonces === false ? undefined : createNonces(clock, nonces === true ? {} : nonces),
    seen: (stores ?? memoryStores({ clock })).values,
  };
}

function tokenCheck(options: ProtectOptions, settings: Settings): TokenCheck {
  const { clock = systemClock, verify, introspection, tolerance = 30_000, resource } = options;
  const reading = { principal: options.principal ?? principalOf, widened: widening(options.implied ?? {}) };
  if (verify) return ownCheck(verify, reading.widened);
  const problem = options.onProblem ?? complain;
  const asking = { clock, fetch: options.fetch ?? globalFetch };
  const audience = ({ audience: other }: TrustedIssuer) => (other === undefined ? [resource] : [resource, other]);
  const remembering = { clock, most: options.remembered ?? 10_000, life: options.rememberedFor ?? 5 * MINUTE };
  const [first] = settings.issuers;
  if (introspection && first) {
    const rules = { issuer: first.issuer, audience: audience(first), options: introspection, tolerance, problem };
    return rememberGood(introspectionCheck({ ...reading, ...asking, ...rules }), remembering);
  }
  const issuers = settings.issuers.map(each => {
    const keys = createIssuerKeys({ ...asking, issuer: each.issuer, jwksUri: each.jwksUri, problem });
    return [each.issuer, { keys, audience: audience(each) }] as const;
  });
  const { algorithms } = settings;
  const typed = options.tokenType === 'required';
  const rules = { ...reading, clock, issuers: new Map(issuers), algorithms, typed, tolerance };
  return rememberGood(jwtCheck(rules), remembering);
}

function ownCheck(verify: NonNullable<ProtectOptions['verify']>, widened: ReturnType<typeof widening>): TokenCheck {
  return async token => {
    const auth = await verify(token);
    if (!auth) return invalidToken();
    const { cnf, exp } = auth.claims ?? {};
    const expiresAt = auth.expiresAt ?? (typeof exp === 'number' ? exp * 1000 : undefined);
    const jkt = isObject(cnf) && typeof cnf.jkt === 'string' ? cnf.jkt : undefined;
    return {
      auth: { ...auth, scopes: widened(auth.scopes ?? []), ...(expiresAt === undefined ? {} : { expiresAt }) },
      jkt,
      expires: Number.NEGATIVE_INFINITY,
    };
  };
}

const globalFetch: AuthFetch = (url, init) => fetch(url, init);

declare const console: { error(...parts: unknown[]): void } | undefined;

function complain(error: TenonError): void {
  console?.error(`tenon: ${error.code}: ${error.message}`, error.cause ?? '');
}
