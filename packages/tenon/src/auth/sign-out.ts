import * as oauth from 'oauth4webapi';
import { TenonError } from '../jsonrpc/error.js';
import type { Tokens } from './credentials.js';
import { refusalOf } from './judgement.js';
import { type Place, requestOptions } from './place.js';
import type { Strategy } from './strategy.js';

/** Revokes tokens where the authorization server offers it. https://www.rfc-editor.org/rfc/rfc7009 */
export async function revoked(place: Place, tokens: Tokens, strategy: Strategy, signal: AbortSignal): Promise<void> {
  const { metadata } = place.as;
  if (metadata.revocation_endpoint === undefined) return;
  const identity = await strategy.identify(place, signal);
  if (!identity) return;
  const revoke = async (token: string, kind: string) => {
    const hint = { additionalParameters: { token_type_hint: kind } };
    const options = { ...requestOptions(place, signal), ...hint };
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(metadata, identity.client, identity.auth, token, options),
    );
  };
  try {
    if (tokens.refresh !== undefined) await revoke(tokens.refresh, 'refresh_token');
    await revoke(tokens.access, 'access_token').catch(error => {
      // Access tokens that nobody looks up can not be revoked; they end soon, and are not renewed.
      if (tokens.refresh === undefined || refusalOf(error) !== 'unsupported_token_type') throw error;
    });
  } catch {
    throw new TenonError('auth/not-revoked', 'the tokens are forgotten, but not revoked', {
      peer: place.issuer.slice(0, 200),
      next: 'they end by themselves; where that is too late, revoke them at the authorization server',
    });
  }
}
