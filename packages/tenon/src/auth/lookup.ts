import { TenonError } from '../jsonrpc/error.js';
import { type Origin, originKey, readOrigin } from './credentials.js';
import type { Demand } from './demand.js';
import {
  checkEndpoints,
  findIssuer,
  type Issuer,
  issuerAtOrigin,
  sendsIssuer,
} from './discovery/authorization-server.js';
import { canonicalResource, findProtectedResource } from './discovery/protected-resource.js';
import { createGuardedFetch } from './guarded-fetch.js';
import type { Place } from './place.js';
import type { Setting } from './setting.js';
import type { Strategy } from './strategy.js';
import { createUrlGuard } from './url-guard.js';

/** Finds out where tokens for one server are had. */
export interface Lookup {
  /** By what the server says now. Rejects with what stands in the way. */
  ask(demand: Demand, version: string | undefined, signal: AbortSignal): Promise<Place>;
  /** By what is remembered of the server. */
  recall(signal: AbortSignal): Promise<Place | undefined>;
}

export function createLookup(server: string, strategy: Strategy, setting: Setting): Lookup {
  const guard = createUrlGuard(server, setting.guard);
  const fetch = createGuardedFetch(setting.fetch, guard, setting.clock);
  const remembered = async () => readOrigin(await setting.vault.get(originKey(server, strategy.client)));

  const place = async (as: Issuer, origin: Omit<Origin, 'issuer'>, scopes: readonly string[] | undefined) => {
    const possession = await setting.possession();
    return { ...origin, server, as, issuer: as.id, scopes, fetch, guard, clock: setting.clock, possession };
  };

  /** The answer to a sign-in may be one of another issuer, unless it says whose it is, or the user has named the issuer. */
  const findChecked = async (id: string, signal: AbortSignal) => {
    const as = await findIssuer(id, fetch, signal);
    if (strategy.interactive && strategy.issuer !== id && !sendsIssuer(as)) checkEndpoints(as, guard);
    return as;
  };

  return {
    async ask(demand, version, signal) {
      const found = await findProtectedResource(server, demand.metadata, fetch, signal);
      const before = await remembered();
      const own = strategy.issuer ?? (strategy.given ? before?.issuer : undefined);
      if (!found) {
        const as = await issuerAtOrigin(server, version, fetch, guard, signal);
        chosen([as.id], own, undefined);
        return place(as, { resource: canonicalResource(server), undescribed: true }, undefined);
      }
      const as = await firstOf(chosen(found.issuers, own, before?.issuer), findChecked, signal);
      return place(as, { resource: found.resource, undescribed: false }, found.scopes);
    },
    async recall(signal) {
      const origin = await remembered();
      if (!origin) return undefined;
      const { resource, undescribed, issuer } = origin;
      const as = undescribed
        ? await issuerAtOrigin(server, undefined, fetch, guard, signal)
        : await findChecked(issuer, signal);
      return place(as, { resource, undescribed }, undefined);
    },
  };
}

/**
 * The issuers to try, best first: the one that there are credentials for and no other, else the one that tokens were had
 * from before, else as the resource lists them. https://www.rfc-editor.org/rfc/rfc9728#section-7.6
 */
function chosen(issuers: readonly string[], own: string | undefined, before: string | undefined): readonly string[] {
  if (own !== undefined) {
    if (issuers.includes(own)) return [own];
    throw new TenonError('auth/other-issuer', 'the client is not one of the authorization server that is asked for', {
      expected: own.slice(0, 200),
      got: issuers.join(', ').slice(0, 200),
      next: 'register a client there, and give it with its `issuer`; the credentials of the other are not shown to it',
    });
  }
  if (before === undefined || !issuers.includes(before)) return issuers;
  return [before, ...issuers.filter(issuer => issuer !== before)];
}

type FindIssuer = (id: string, signal: AbortSignal) => Promise<Issuer>;

async function firstOf(issuers: readonly string[], find: FindIssuer, signal: AbortSignal): Promise<Issuer> {
  let first: unknown;
  for (const issuer of issuers) {
    try {
      return await find(issuer, signal);
    } catch (error) {
      signal.throwIfAborted();
      first ??= error;
    }
  }
  throw first;
}
