import { TenonError } from '@tenon/base';
import { classifyFailure, EndpointError, getOauthErrorCode } from '@tenon/base/oauth';
import * as oauth from 'oauth4webapi';
import { type AuthTarget, createRequestOptions } from './auth-target.js';
import type { Grant } from './grants/grant.js';
import type { Tokens } from './token-store.js';

/**
 * Revokes tokens if the authorization server supports revocation. Resolves with false if it does not, or no longer knows
 * the client.
 *
 * @see https://www.rfc-editor.org/rfc/rfc7009
 */
export async function revokeTokens(
  target: AuthTarget,
  tokens: Tokens,
  grant: Grant,
  signal: AbortSignal,
): Promise<boolean> {
  const { metadata } = target.authorizationServer;
  if (metadata.revocation_endpoint === undefined) return false;
  const identity = await grant.identifyClient(target, tokens, signal);
  if (!identity) return false;
  const revokeToken = async (token: string, tokenType: string) => {
    const hint = { additionalParameters: { token_type_hint: tokenType } };
    const options = { ...createRequestOptions(target, signal), ...hint };
    const response = await oauth.revocationRequest(metadata, identity.client, identity.auth, token, options);
    if (response.status === 200) return;
    const header = (name: string) => response.headers.get(name) ?? undefined;
    throw new EndpointError(classifyFailure({ status: response.status, body: await response.text(), header }));
  };
  try {
    if (tokens.refresh !== undefined) await revokeToken(tokens.refresh, 'refresh_token');
    await revokeToken(tokens.access, 'access_token').catch(error => {
      // Self-contained access tokens cannot be revoked. They expire soon and are not renewed.
      if (tokens.refresh === undefined || getOauthErrorCode(error) !== 'unsupported_token_type') throw error;
    });
    return true;
  } catch {
    throw new TenonError('auth/not-revoked', 'the tokens were deleted locally but not revoked', {
      peer: target.issuer.slice(0, 200),
      hint: 'revoke the tokens at the authorization server, or wait until they expire',
    });
  }
}
