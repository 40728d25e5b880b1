import {
  checkEither,
  checkFunction,
  checkOptional,
  checkString,
  type OptionChecks,
  requireOptions,
  TenonError,
} from '@tenon/base';
import { getEndpointFailure, toAuthError } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import type { AuthTarget } from '../auth-target.js';
import type { Authorizer } from '../authorizer.js';
import type { ClientIdentity } from '../client-identity.js';
import { AUTHORIZER_OPTION_CHECKS, type AuthorizerOptions, parseScopeOption, resolveSettings } from '../settings.js';
import { createGrantAuthorizer } from './grant-authorizer.js';
import { requestTokensWithAssertion } from './jwt-bearer.js';

/** Options of `workloadIdentity`. */
export interface WorkloadIdentityOptions extends AuthorizerOptions {
  /**
   * JWT that the platform issues to this workload. A function is called for each sign-in, because such JWTs are
   * short-lived.
   */
  readonly assertion: string | (() => string | Promise<string>);
  /**
   * Client ID, if the authorization server requires one.
   * @default none
   */
  readonly clientId?: string | undefined;
  /**
   * Issuer to which the assertion may be sent.
   * @default the first issuer in the metadata
   */
  readonly issuer?: string | undefined;
}

/**
 * Signs a workload in with the identity that its platform issues. Calls reject with `auth/assertion` when the
 * authorization server rejects the assertion. On Node `fetch` is `fetchWithAddressCheck` by default.
 *
 * @see https://modelcontextprotocol.io/extensions/auth/workload-identity-federation
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Authorizer {
  const checks: OptionChecks<WorkloadIdentityOptions> = {
    assertion: checkEither(checkFunction, checkString),
    clientId: checkOptional(checkString),
    issuer: checkOptional(checkString),
    ...AUTHORIZER_OPTION_CHECKS,
  };
  requireOptions('workloadIdentity', options, checks, 'options/invalid');
  const { assertion, clientId } = options;
  // The assertion identifies the client, which needs no authentication of its own.
  const identity: ClientIdentity =
    clientId === undefined
      ? { client: { client_id: 'workload' }, auth: () => {} }
      : { client: { client_id: clientId }, auth: oauth.None() };
  let refusedAssertion: string | undefined;
  return createGrantAuthorizer(
    {
      clientKey: clientId ?? 'workload',
      issuer: options.issuer,
      preregistered: true,
      scopes: parseScopeOption(options.scopes),
      offline: false,
      interactive: false,
      identifyClient: async () => identity,
      async requestToken(target, scopes, signal) {
        const jwt = typeof assertion === 'function' ? await assertion() : assertion;
        if (jwt === refusedAssertion) throw createAssertionError(target, 'the same as was refused before');
        try {
          return await requestTokensWithAssertion(target, identity, jwt, scopes, signal);
        } catch (thrown) {
          const error = toAuthError(thrown, target.issuer, 'the workload sign-in');
          if (error.code !== 'auth/refused' || getEndpointFailure(thrown)?.verdict === 'temporary') throw error;
          refusedAssertion = jwt;
          throw createAssertionError(target, error.received);
        }
      },
    },
    resolveSettings(options),
  );
}

function createAssertionError({ issuer }: AuthTarget, received: string | undefined): TenonError {
  return new TenonError('auth/assertion', 'the authorization server rejected the assertion', {
    peer: issuer.slice(0, 200),
    received,
    hint: 'check `aud` and `exp` of the assertion, and the trusted issuers of the authorization server',
  });
}
