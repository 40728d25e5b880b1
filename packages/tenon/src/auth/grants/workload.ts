import * as oauth from 'oauth4webapi';
import { TenonError } from '../../jsonrpc/error.js';
import type { Authorizer } from '../authorizer.js';
import { byStrategy } from '../by-strategy.js';
import type { Identity } from '../client-auth.js';
import { authError } from '../judgement.js';
import type { Place } from '../place.js';
import { type AuthorizerOptions, scopesOf, settingOf } from '../setting.js';
import { byAssertion } from './assertion.js';

export interface WorkloadOptions extends AuthorizerOptions {
  /** The JWT that the platform gives this workload. A function is asked for each sign-in: such JWTs are short-lived. */
  readonly assertion: string | (() => string | Promise<string>);
  /** Where the authorization server wants one. */
  readonly clientId?: string | undefined;
  /** The authorization server to whom the assertion may be shown. Default: the first that the server names. */
  readonly issuer?: string | undefined;
}

/**
 * Signs a workload in by the identity that its platform gives it. An assertion that was refused is not shown again:
 * rejects with `auth/assertion`. https://modelcontextprotocol.io/extensions/auth/workload-identity-federation
 */
export function workload(options: WorkloadOptions): Authorizer {
  const { assertion } = options;
  const identity = identityOf(options.clientId);
  let refused: string | undefined;
  return byStrategy(
    {
      client: options.clientId ?? 'workload',
      issuer: options.issuer,
      given: true,
      scopes: scopesOf(options.scope),
      offline: false,
      interactive: false,
      identify: async () => identity,
      async obtain(place, scopes, signal) {
        const jwt = typeof assertion === 'function' ? await assertion() : assertion;
        if (jwt === refused) throw refusal(place, 'the same as was refused before');
        try {
          return await byAssertion(place, identity, jwt, scopes, signal);
        } catch (thrown) {
          const error = authError(thrown, place.issuer, 'the sign-in of the workload');
          if (error.code !== 'auth/refused') throw error;
          refused = jwt;
          throw refusal(place, error.got);
        }
      },
    },
    settingOf(options),
  );
}

/** The assertion says who it is: the client needs not. */
function identityOf(id: string | undefined): Identity {
  if (id !== undefined) return { client: { client_id: id }, auth: oauth.None() };
  return { client: { client_id: 'workload' }, auth: () => {} };
}

function refusal({ issuer }: Place, got: string | undefined): TenonError {
  return new TenonError('auth/assertion', 'the authorization server does not take the assertion', {
    peer: issuer.slice(0, 200),
    got,
    next: 'look at its `aud` and `exp`, and whether the authorization server trusts who made it',
  });
}
