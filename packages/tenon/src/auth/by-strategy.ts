import { type Account, createAccount } from './account.js';
import type { Authorizer, OutgoingRequest } from './authorizer.js';
import { readDemand } from './demand.js';
import { requireEncryption } from './plain-http.js';
import type { Setting } from './setting.js';
import type { Strategy } from './strategy.js';

/** How often one request is sent again for the sake of a nonce. */
const MAX_NONCES = 2;

/** An authorizer for any number of servers, each with an account of its own. */
export function byStrategy(strategy: Strategy, setting: Setting, extensions?: readonly string[]): Authorizer {
  const accounts = new Map<string, Account>();
  const nonces = new WeakMap<object, number>();

  const accountOf = ({ url, server = url }: Pick<OutgoingRequest, 'url' | 'server'>): Account => {
    const known = accounts.get(server);
    if (known) return known;
    requireEncryption(server, setting.guard);
    const account = createAccount(server, strategy, setting);
    accounts.set(server, account);
    return account;
  };

  const mayUseNonce = (request: object): boolean => {
    const used = nonces.get(request) ?? 0;
    nonces.set(request, used + 1);
    return used < MAX_NONCES;
  };

  return {
    ...(extensions ? { extensions } : {}),
    async headers(request) {
      const tokens = await accountOf(request).tokens(request);
      if (!tokens) return {};
      const possession = tokens.type === 'dpop' ? await setting.possession() : undefined;
      if (!possession) return { authorization: `Bearer ${tokens.access}` };
      return { authorization: `DPoP ${tokens.access}`, dpop: await possession.prove(request, tokens.access) };
    },
    async refused(refusal) {
      const possession = await setting.possession();
      const nonce = refusal.header('dpop-nonce');
      possession?.learn(refusal.url, nonce);
      if (readDemand(refusal.header('www-authenticate')).wantsNonce)
        return possession !== undefined && nonce !== undefined && mayUseNonce(refusal.request ?? {});
      return accountOf(refusal).renew(refusal, refusal.sent.authorization?.split(' ')[1]);
    },
    answered({ url, header }) {
      const nonce = header('dpop-nonce');
      if (nonce !== undefined) void setting.possession().then(possession => possession?.learn(url, nonce));
    },
    async signOut(server) {
      const chosen = server === undefined ? [...accounts.values()] : [accountOf({ url: new URL(server).href })];
      for (const account of chosen) await account.signOut();
    },
  };
}
