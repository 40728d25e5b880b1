import {
  type AuthFetch,
  type CallerIdentity,
  type Clock,
  createRandomText,
  fetchWithGlobal,
  identifyCaller,
  redactUrl,
  TenonError,
} from '@tenon/base';
import { memoryTokenStore, mergeTokenStores, type TokenStore } from '../token-store.js';
import { createCheckedSignIn } from './checked-sign-in.js';
import type { CallerSignInOptions } from './options.js';
import { createDeadline, createPageRedirect, type OpenPage, type PendingSignIn } from './pending-sign-ins.js';

/** Maximum number of concurrent visits per sign-in. The oldest one is dropped first. */
const MAX_VISITS = 8;

/** Visit of a browser that identifies its user before the gateway redirects it to another authorization server. */
export interface Visit {
  readonly pending: PendingSignIn;
  /** Cookie secret, which only this browser has. */
  readonly secret: string;
  readonly page: OpenPage;
  /** User of the browser. Rejects when the user cannot be identified. */
  readonly user: Promise<CallerIdentity>;
}

/** Identifies the user of a browser: the browser signs in for the resource that callers access. */
export class VisitRegistry {
  readonly #options: CallerSignInOptions;
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #tokenStore: TokenStore;
  readonly #visits = new Map<PendingSignIn, Visit[]>();

  constructor(options: CallerSignInOptions, clock: Clock, timeout: number, tokenStore: TokenStore) {
    this.#options = options;
    this.#clock = clock;
    this.#timeout = timeout;
    this.#tokenStore = tokenStore;
  }

  find(state: string): Visit | undefined {
    for (const visits of this.#visits.values()) {
      const visit = visits.find(({ page }) => page.state === state);
      if (visit) return visit;
    }
    return undefined;
  }

  async begin(pending: PendingSignIn): Promise<Visit> {
    const deadline = createDeadline(this.#clock, this.#timeout);
    let openPage: (page: OpenPage) => void = () => {};
    const opened = new Promise<OpenPage>(resolve => {
      openPage = resolve;
    });
    const user = this.#findUser(page => openPage(page), deadline.signal).finally(() => deadline.end());
    const page = await Promise.race([opened, user.then(() => opened)]);
    const visit = { pending, page, secret: createRandomText(), user };
    this.add(visit);
    return visit;
  }

  /** Adds a visit whose page the browser is about to open. */
  add(visit: Visit): void {
    const { pending } = visit;
    const visits = this.#visits.get(pending);
    this.#visits.set(pending, [...(visits ?? []), visit].slice(-MAX_VISITS));
    if (visits === undefined) void pending.ended.then(() => this.#visits.delete(pending));
  }

  /** Removes the visit, so that its response is accepted only once. */
  end({ pending, page }: Visit): void {
    const visits = this.#visits.get(pending);
    if (visits)
      this.#visits.set(
        pending,
        visits.filter(each => each.page !== page),
      );
  }

  async #findUser(onPage: (page: OpenPage) => void, signal: AbortSignal): Promise<CallerIdentity> {
    const { url, resource, issuer, tokenVerifier, client, clientName, clock } = this.#options;
    const authorizer = createCheckedSignIn({
      // Client registrations are persisted. The tokens that identify a user exist only during the visit.
      tokenStore: mergeTokenStores(this.#tokenStore, memoryTokenStore()),
      redirect: createPageRedirect(`${url}/callback`, onPage),
      fetch: this.#createFetch(),
      offline: false,
      ...(client ? { client: { issuer, ...client } } : {}),
      ...(clientName === undefined ? {} : { clientName }),
      ...(clock ? { clock } : {}),
    });
    const request = { method: 'POST', url: resource, signal };
    await authorizer.handleRefusal({ ...request, status: 401, sentHeaders: {}, header: () => undefined });
    const { authorization } = await authorizer.getHeaders(request);
    const header = (name: string) => (name === 'authorization' ? authorization : undefined);
    const result = await tokenVerifier.authorize({
      method: 'POST',
      path: new URL(resource).pathname,
      query: '',
      header,
    });
    // The error tells nothing about who the user is.
    if (!('auth' in result))
      throw new TenonError('auth/rejected', 'the gateway rejected a new token of its authorization server', {
        peer: redactUrl(issuer),
        status: result.status,
        hint: 'try again in a minute, because the authorization server may have new keys; if it still fails, check its audience and scopes',
      });
    return identifyCaller(result.auth);
  }

  /**
   * Creates a `fetch` that serves the resource metadata from memory. Behind a proxy this machine may be unable to reach
   * its own public URL.
   */
  #createFetch(): AuthFetch {
    const { resource, tokenVerifier, fetch: fetchLike = fetchWithGlobal } = this.#options;
    return async (url, init, guard) => {
      const { origin, pathname } = new URL(url);
      const text = origin === new URL(resource).origin ? tokenVerifier.documents.get(pathname) : undefined;
      if (text === undefined) return fetchLike(url, init, guard);
      return new Response(text, { headers: { 'content-type': 'application/json' } });
    };
  }
}

declare const Response: { new (body: string, init: { headers: Record<string, string> }): globalThis.Response };
