import { INTERNAL_ERROR, INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { failure } from '../../jsonrpc/message.js';
import { type Written, writeChallenges } from '../challenge.js';
import type { Problem } from './problem.js';
import type { Judgement } from './protection.js';

export interface RefusalFacts {
  /** The URL of the MCP endpoint. */
  readonly resource: string;
  /** Where the metadata of the resource is. */
  readonly metadata: string;
  /** What every request needs. */
  readonly scopes: readonly string[];
  /** The algorithms of proofs. */
  readonly proofs: readonly string[];
  readonly proofRequired: boolean;
}

/** Seconds after which it is worth asking again whether a token is good. */
const RETRY_AFTER = '10';

const STATUS = {
  missing: 401,
  malformed: 400,
  'invalid-token': 401,
  'invalid-proof': 401,
  'nonce-wanted': 401,
  'insufficient-scope': 403,
  unavailable: 503,
} as const;

const ERROR = {
  missing: undefined,
  malformed: 'invalid_request',
  'invalid-token': 'invalid_token',
  'invalid-proof': 'invalid_dpop_proof',
  'nonce-wanted': 'use_dpop_nonce',
  'insufficient-scope': 'insufficient_scope',
} as const;

/**
 * The answer to a request that is refused. `dpop` tells by which scheme the token came.
 * https://www.rfc-editor.org/rfc/rfc6750#section-3 https://www.rfc-editor.org/rfc/rfc9449#section-7.1
 */
export function refusal(problem: Problem, dpop: boolean, facts: RefusalFacts): Judgement {
  const status = STATUS[problem.problem];
  if (problem.problem === 'unavailable') {
    return { status, headers: { 'retry-after': RETRY_AFTER }, body: asError('The token can not be judged for now') };
  }
  const headers = {
    'www-authenticate': writeChallenges([challenge(problem, dpop, facts)]),
    ...(problem.problem === 'nonce-wanted' ? { 'dpop-nonce': problem.nonce } : {}),
  };
  return { status, headers, body: asError(wordsOf(problem, facts), INVALID_REQUEST) };
}

function challenge(problem: Exclude<Problem, { problem: 'unavailable' }>, dpop: boolean, facts: RefusalFacts): Written {
  const byProof = facts.proofRequired || dpop || 'nonce' in problem || problem.problem === 'invalid-proof';
  const scopes = problem.problem === 'insufficient-scope' ? problem.scopes : facts.scopes;
  const scope = [...new Set(scopes)].filter(each => each !== 'offline_access').join(' ');
  const params = {
    error: ERROR[problem.problem],
    error_description: problem.problem === 'missing' ? undefined : wordsOf(problem, facts),
    scope: scope === '' || problem.problem === 'malformed' ? undefined : scope,
    resource_metadata: facts.metadata,
  };
  const bound = 'scheme' in problem && problem.scheme === 'dpop';
  return byProof || bound
    ? { scheme: 'DPoP', params: { ...params, algs: facts.proofs.join(' ') } }
    : { scheme: 'Bearer', params };
}

/** The next step for somebody who has looked at the URL by hand, or with a client that does not sign in. */
function missingToken({ resource, metadata, proofRequired }: RefusalFacts): string {
  return (
    `${resource}: the request has no access token. Expected the header "Authorization: ${proofRequired ? 'DPoP' : 'Bearer'} <token>". ` +
    `Sign in at an authorization server that ${metadata} names, and send its token.`
  );
}

function wordsOf(problem: Problem, facts: RefusalFacts): string {
  if ('why' in problem) return problem.why;
  if (problem.problem === 'nonce-wanted') return 'The proof needs the nonce of this server';
  if (problem.problem === 'insufficient-scope') return 'The token lacks a scope that this request needs';
  return missingToken(facts);
}

function asError(message: string, code: number = INTERNAL_ERROR): string {
  return JSON.stringify(failure(undefined, { code, message }));
}
