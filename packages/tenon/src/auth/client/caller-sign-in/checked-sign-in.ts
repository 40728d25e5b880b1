import type { Authorizer } from '../authorizer.js';
import { createGrantAuthorizer } from '../grants/grant-authorizer.js';
import { resolveSettings } from '../settings.js';
import { createInteractiveGrant, type SignInOptions } from '../sign-in/sign-in.js';

/**
 * Creates the authorizer of a user whose browser opens a page of the gateway. The gateway registers again before it leads
 * the browser to an authorization server that has lost its clients.
 */
export function createCheckedSignIn(options: SignInOptions): Authorizer {
  const settings = resolveSettings(options);
  return createGrantAuthorizer(createInteractiveGrant(options, settings, { checksClient: true }), settings);
}
