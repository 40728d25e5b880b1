import {
  type AuthorizationServer,
  ClientSecretBasic,
  ClientSecretPost,
  introspectionRequest,
  processIntrospectionResponse,
} from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type Asking, bare, issuerMetadata, manners, unreachable } from './asking-issuers.js';
import { isMeantFor, type Reading, readClaims } from './claims.js';
import { invalidToken, type TokenCheck } from './problem.js';

/** How the issuer is asked about tokens. https://www.rfc-editor.org/rfc/rfc7662 */
export interface IntrospectionOptions {
  /** Who asks: this server is a client of the issuer. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** How it says so. Default `basic`. */
  readonly method?: 'basic' | 'post' | undefined;
  /** Where to ask. Default: what the metadata of the issuer says. */
  readonly endpoint?: string | undefined;
  /**
   * For how long the answer is good, in milliseconds. Default 30 s: so long may a token that was revoked go on. 0 asks for
   * each request.
   */
  readonly life?: number | undefined;
}

export interface IntrospectionRules extends Reading, Asking {
  readonly audience: readonly string[];
  readonly tolerance: number;
  readonly options: IntrospectionOptions;
  readonly problem: (error: TenonError) => void;
}

/** Judges tokens by asking who issued them. */
export function introspectionCheck(rules: IntrospectionRules): TokenCheck {
  const { options, issuer } = rules;
  const proof = options.method === 'post' ? ClientSecretPost : ClientSecretBasic;
  const identity = proof(options.clientSecret);
  let server: Promise<AuthorizationServer> | undefined;

  const ask = async (token: string): Promise<JsonObject> => {
    server ??= serverOf(rules);
    const known = await server;
    const client = { client_id: options.clientId };
    const reply = await introspectionRequest(known, client, identity, token, {
      ...manners(rules),
      additionalParameters: { token_type_hint: 'access_token' },
    });
    return processIntrospectionResponse(known, client, reply);
  };
  return async token => {
    try {
      return judged(await ask(token), rules);
    } catch (cause) {
      server = undefined;
      rules.problem(unreachable(issuer, 'it could not be asked about a token', bare(cause)));
      return { problem: 'unavailable' };
    }
  };
}

async function serverOf(rules: IntrospectionRules): Promise<AuthorizationServer> {
  const { issuer, options } = rules;
  const metadata: JsonObject = options.endpoint === undefined ? await issuerMetadata(rules) : { issuer };
  const endpoint = options.endpoint ?? metadata.introspection_endpoint;
  if (typeof endpoint !== 'string') {
    throw new TenonError('auth/issuer', 'the issuer does not say where to ask about tokens', {
      peer: issuer,
      expected: '`introspection_endpoint` in its metadata',
      next: 'give `introspection.endpoint`',
    });
  }
  return { issuer, introspection_endpoint: endpoint };
}

function judged(said: JsonObject, rules: IntrospectionRules): ReturnType<typeof readClaims> {
  const { clock, issuer, audience, tolerance, options } = rules;
  const { active, ...claims } = said;
  if (active !== true) return invalidToken();
  if (claims.iss !== undefined && claims.iss !== issuer) return invalidToken('The token is of another issuer');
  if (!isMeantFor(claims.aud, audience)) return invalidToken('The token was not issued for this resource');
  const now = clock.now();
  const ends = claims.exp === undefined ? Number.POSITIVE_INFINITY : Number(claims.exp) * 1000;
  if (!(ends + tolerance > now)) return invalidToken('The token has expired');
  if (claims.nbf !== undefined && !(Number(claims.nbf) * 1000 - tolerance <= now)) {
    return invalidToken('The token is not valid yet');
  }
  const times = { expiresAt: ends + tolerance, expires: Math.min(ends, now + (options.life ?? 30_000)) };
  return readClaims({ iss: issuer, ...claims }, times, rules);
}
