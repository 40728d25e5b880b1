import { createHash, timingSafeEqual } from 'node:crypto';
import { protect } from 'tenon/auth';
import type { ServeHttpOptions } from 'tenon/node';
import { misuse, variable } from './misuse.js';

/** How callers over HTTP are told from strangers. */
export interface GuardOptions {
  /** The name of the variable that has the token which all callers send. */
  readonly bearerEnv?: string;
  readonly issuer?: string;
  /** The URL under which clients know the endpoint. */
  readonly audience?: string;
}

export type Guards = Pick<ServeHttpOptions, 'auth' | 'authorize'>;

/** The principal of all who have the one token. */
export const BEARER = 'bearer';
/** How long a token must be: a short one is guessed. */
const LEAST_TOKEN = 16;

/** What lets callers in. `path`: where the endpoint lies, if not where the audience says. */
export function guardsOf(
  options: GuardOptions,
  env: Readonly<Record<string, string | undefined>>,
  path?: string,
): Guards {
  const { bearerEnv, issuer, audience } = options;
  if (bearerEnv !== undefined && issuer !== undefined) {
    throw misuse('--bearer-env and --issuer exclude each other', 'give one of them');
  }
  if (bearerEnv !== undefined) return byToken(variable(env, bearerEnv, '--bearer-env'));
  if ((issuer === undefined) !== (audience === undefined)) {
    throw misuse('--issuer and --audience belong together', 'give both: who issues tokens, and the URL they are for');
  }
  if (issuer === undefined || audience === undefined) return {};
  const resource = path === undefined ? audience : new URL(path, audience).href;
  return { auth: protect({ resource, issuers: [issuer] }) };
}

function byToken(token: string): Guards {
  if (token.length < LEAST_TOKEN) {
    throw misuse(
      '--bearer-env: the token in this variable is too short',
      `give one of ${LEAST_TOKEN} characters or more: openssl rand -hex 32`,
    );
  }
  const expected = digestOf(`Bearer ${token}`);
  return {
    authorize(facts) {
      const given = facts.header('authorization') ?? '';
      // Digests are of one length, and are compared in a time that tells nothing.
      if (timingSafeEqual(digestOf(given.replace(/^bearer /i, 'Bearer ')), expected))
        return { auth: { principal: BEARER } };
      return { status: 401, headers: { 'www-authenticate': 'Bearer' } };
    },
  };
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
