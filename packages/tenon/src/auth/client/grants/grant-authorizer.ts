import { requireEncryption } from '@tenon/base';
import type { Authorizer, AuthorizerRequest } from '../authorizer.js';
import { parseAuthChallenge } from '../discovery/auth-challenge.js';
import type { AuthorizerSettings } from '../settings.js';
import { createTokenSession, type TokenSession } from '../token-session.js';
import type { Grant } from './grant.js';

/** Maximum number of times that one request is repeated with a new nonce. */
const MAX_NONCES = 2;

/** Creates an authorizer for any number of servers. Each server has its own tokens. */
export function createGrantAuthorizer(
  grant: Grant,
  settings: AuthorizerSettings,
  extensions?: readonly string[],
): Authorizer {
  const sessions = new Map<string, TokenSession>();
  const nonces = new WeakMap<object, number>();

  const getSession = ({ url, server = url }: Pick<AuthorizerRequest, 'url' | 'server'>): TokenSession => {
    const known = sessions.get(server);
    if (known) return known;
    requireEncryption(server, settings.guard);
    const session = createTokenSession(server, grant, settings);
    sessions.set(server, session);
    return session;
  };

  const mayUseNonce = (request: object): boolean => {
    const useCount = nonces.get(request) ?? 0;
    nonces.set(request, useCount + 1);
    return useCount < MAX_NONCES;
  };

  return {
    ...(extensions ? { extensions } : {}),
    async getHeaders(request) {
      const tokens = await getSession(request).getTokens(request);
      if (!tokens) return {};
      const dpopKey = tokens.type === 'dpop' ? await settings.getDpopKey() : undefined;
      if (!dpopKey) return { authorization: `Bearer ${tokens.access}` };
      return { authorization: `DPoP ${tokens.access}`, dpop: await dpopKey.createProof(request, tokens.access) };
    },
    async handleRefusal(refusal) {
      const dpopKey = await settings.getDpopKey();
      const nonce = refusal.header('dpop-nonce');
      dpopKey?.storeNonce(refusal.url, nonce);
      if (parseAuthChallenge(refusal.header('www-authenticate')).requiresNonce)
        return dpopKey !== undefined && nonce !== undefined && mayUseNonce(refusal.request ?? {});
      return getSession(refusal).renew(refusal, refusal.sentHeaders.authorization?.split(' ')[1]);
    },
    onResponse({ url, header }) {
      const nonce = header('dpop-nonce');
      if (nonce !== undefined) void settings.getDpopKey().then(dpopKey => dpopKey?.storeNonce(url, nonce));
    },
    async signOut(server) {
      const chosen = server === undefined ? [...sessions.values()] : [getSession({ url: new URL(server).href })];
      for (const session of chosen) await session.signOut();
    },
  };
}
