import { TenonError } from '../jsonrpc/error.js';
import { Attempts } from './attempts.js';
import type { OutgoingRequest, RefusedRequest } from './authorizer.js';
import { asSecret, originKey, readOrigin, readTokens, type Tokens, tokensKey } from './credentials.js';
import { type Demand, readDemand } from './demand.js';
import { singleFlight } from './flight.js';
import { isDue, refreshed } from './grants/refresh.js';
import { shown } from './guarded-fetch.js';
import { createLookup } from './lookup.js';
import type { Place } from './place.js';
import { scopesToAsk } from './scopes.js';
import type { Setting } from './setting.js';
import { revoked } from './sign-out.js';
import type { Strategy } from './strategy.js';

/** The tokens for one server, and all that keeps them good. */
export interface Account {
  /** The tokens to send, if there are any. */
  tokens(request: OutgoingRequest): Promise<Tokens | undefined>;
  /** A request with the access token `sent` was refused: true when there are others now. */
  renew(refusal: RefusedRequest, sent: string | undefined): Promise<boolean>;
  signOut(): Promise<void>;
}

export function createAccount(server: string, strategy: Strategy, setting: Setting): Account {
  const { clock } = setting;
  const lookup = createLookup(server, strategy, setting);
  const flight = singleFlight<boolean>();
  const attempts = new Attempts(strategy, server);
  let tokens: Tokens | undefined;
  let place: Place | undefined;
  let restored: Promise<void> | undefined;

  /** What an earlier process has left. */
  const restore = async () => {
    const origin = readOrigin(await setting.vault.get(originKey(server, strategy.client)));
    tokens = origin && readTokens(await setting.tokens.get(tokensKey(server, origin, strategy.client)));
  };

  const ready = () => {
    restored ??= restore().catch(error => {
      restored = undefined;
      throw error;
    });
    return restored;
  };

  /** Takes what another process has got meanwhile, else gets tokens anew. */
  const obtained = (at: Place, stale: string | undefined, scopes: readonly string[], signal: AbortSignal) =>
    setting.tokens.update(tokensKey(server, at, strategy.client), async secret => {
      const before = readTokens(secret);
      if (before && before.access !== stale && !isDue(before, clock.now())) return { result: before };
      const next = await strategy.obtain(at, scopes, signal);
      return { next: asSecret(next), result: next };
    });

  const settle = async (at: Place, next: Tokens): Promise<boolean> => {
    const { issuer, resource, undescribed } = at;
    place = at;
    tokens = next;
    attempts.succeeded();
    await setting.vault.update(originKey(server, strategy.client), async secret => {
      const before = readOrigin(secret);
      const same = before?.issuer === issuer && before.resource === resource && before.undescribed === undescribed;
      return same ? { result: undefined } : { next: { issuer, resource, undescribed }, result: undefined };
    });
    return true;
  };

  const scopesFor = (at: Place, challenged: readonly string[] | undefined) =>
    scopesToAsk({
      challenged,
      wanted: strategy.scopes,
      ofResource: at.scopes,
      ofIssuer: at.as.metadata.scopes_supported,
      before: place?.issuer === at.issuer || place === undefined ? tokens?.asked : undefined,
      offline: strategy.offline,
    });

  /** Before they expire, without anybody being asked. */
  const renewAhead = async (stale: Tokens, signal: AbortSignal): Promise<boolean> => {
    if (tokens !== stale) return true;
    const isOver = () => clock.now() >= (stale.expires ?? Number.POSITIVE_INFINITY);
    try {
      const at = place ?? (await lookup.recall(signal));
      let next = at && (await refreshed(at, setting.tokens, strategy.client, stale.access, strategy, signal));
      if (!next && at && !strategy.interactive) next = await obtained(at, stale.access, stale.asked, signal);
      if (next && at) return settle(at, next);
    } catch (error) {
      if (isOver()) throw error;
    }
    if (isOver()) tokens = undefined;
    return false;
  };

  /** After a 401. The server is asked anew where tokens are had: that may have changed. */
  const renewAfter = async (
    refusal: RefusedRequest,
    demand: Demand,
    stale: string | undefined,
    signal: AbortSignal,
  ) => {
    if (tokens && tokens.access !== stale) return true;
    const at = await lookup.ask(demand, refusal.version, signal);
    if (attempts.mayRefresh(refusal)) {
      const next = await refreshed(at, setting.tokens, strategy.client, stale, strategy, signal);
      if (next) return settle(at, next);
    }
    if (!attempts.mayObtain(refusal)) return false;
    return settle(at, await attempts.tracked(obtained(at, stale, scopesFor(at, demand.scopes), signal)));
  };

  /** After a 403 that names scopes. */
  const stepUp = async (refusal: RefusedRequest, demand: Demand, stale: string | undefined, signal: AbortSignal) => {
    if (tokens && tokens.access !== stale) return true;
    const needed = demand.scopes ?? [];
    if (!tokens || needed.length === 0 || refusal.method === 'DELETE') return false;
    attempts.countStep(refusal, needed);
    const at = place ?? (await lookup.ask(demand, refusal.version, signal));
    return settle(at, await attempts.tracked(obtained(at, stale, scopesFor(at, needed), signal)));
  };

  return {
    async tokens({ signal }) {
      await ready();
      const held = tokens;
      if (held && isDue(held, clock.now())) await flight.join(own => renewAhead(held, own), signal);
      return tokens;
    },
    async renew(refusal, sent) {
      await ready();
      const demand = readDemand(refusal.header('www-authenticate'));
      if (refusal.status === 401) return flight.join(own => renewAfter(refusal, demand, sent, own), refusal.signal);
      if (refusal.status !== 403 || demand.error !== 'insufficient_scope') return false;
      return flight.join(own => stepUp(refusal, demand, sent, own), refusal.signal);
    },
    async signOut() {
      await ready();
      const signal = new AbortController().signal;
      const at = place ?? (await lookup.recall(signal).catch(() => undefined));
      const held = tokens;
      tokens = undefined;
      place = undefined;
      attempts.succeeded();
      const origin = readOrigin(await setting.vault.get(originKey(server, strategy.client)));
      if (origin)
        await setting.tokens.update(tokensKey(server, origin, strategy.client), async () => ({
          next: null,
          result: undefined,
        }));
      await setting.vault.update(originKey(server, strategy.client), async () => ({ next: null, result: undefined }));
      if (at && held) await revoked(at, held, strategy, signal);
      if (!at && held)
        throw new TenonError('auth/not-revoked', 'the tokens are forgotten, but not revoked', { peer: shown(server) });
    },
  };
}
