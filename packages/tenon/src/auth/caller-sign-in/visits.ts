import type { Clock } from '../../jsonrpc/clock.js';
import { type CallerIdentity, identify } from '../../model/owner.js';
import { memoryVault, type Vault } from '../credentials.js';
import type { AuthFetch } from '../guarded-fetch.js';
import { randomText } from '../issuer/secrets.js';
import { signIn } from '../sign-in.js';
import type { CallerSignInOptions } from './options.js';
import { createDeadline, type OpenPage, type PendingSignIn, pageRedirect } from './pending.js';

/** Browsers that may be on their way to one sign-in; the oldest gives way. */
const MAX_VISITS = 8;

/** A browser that shows who its user is, before it is sent to the authorization server of a server. */
export interface Visit {
  readonly pending: PendingSignIn;
  /** The secret that this browser alone has. */
  readonly secret: string;
  readonly page: OpenPage;
  /** The user of the browser. Rejects when that could not be found out. */
  readonly user: Promise<CallerIdentity>;
}

/** Finds out which user sits before a browser: the browser signs in for the resource that callers call. */
export class Visits {
  readonly #options: CallerSignInOptions;
  readonly #clock: Clock;
  readonly #time: number;
  readonly #vault: Vault;
  readonly #visits = new Map<PendingSignIn, Visit[]>();

  constructor(options: CallerSignInOptions, clock: Clock, time: number, vault: Vault) {
    this.#options = options;
    this.#clock = clock;
    this.#time = time;
    this.#vault = vault;
  }

  find(state: string): Visit | undefined {
    for (const visits of this.#visits.values()) {
      const visit = visits.find(({ page }) => page.state === state);
      if (visit) return visit;
    }
    return undefined;
  }

  async begin(pending: PendingSignIn): Promise<Visit> {
    const deadline = createDeadline(this.#clock, this.#time);
    let user: Promise<CallerIdentity> | undefined;
    const page = await new Promise<OpenPage>((resolve, reject) => {
      user = this.#findUser(resolve, deadline.signal).finally(() => deadline.end());
      user.catch(reject);
    });
    const visit = { pending, page, secret: randomText(), user: user as unknown as Promise<CallerIdentity> };
    const visits = this.#visits.get(pending) ?? [];
    this.#visits.set(pending, [...visits, visit].slice(-MAX_VISITS));
    if (visits.length === 0) void pending.ended.then(() => this.#visits.delete(pending));
    return visit;
  }

  /** Each answer is taken once. */
  end({ pending, page }: Visit): void {
    const visits = this.#visits.get(pending);
    if (visits)
      this.#visits.set(
        pending,
        visits.filter(each => each.page !== page),
      );
  }

  async #findUser(onPage: (page: OpenPage) => void, signal: AbortSignal): Promise<CallerIdentity> {
    const { url, resource, issuer, protection, client, clientName, clock } = this.#options;
    const authorizer = signIn({
      vault: registrationsOf(this.#vault),
      redirect: pageRedirect(`${url}/callback`, onPage),
      fetch: this.#fetch(),
      offline: false,
      ...(client ? { client: { issuer, ...client } } : {}),
      ...(clientName === undefined ? {} : { clientName }),
      ...(clock ? { clock } : {}),
    });
    const request = { method: 'POST', url: resource, signal };
    await authorizer.refused({ ...request, status: 401, sent: {}, header: () => undefined });
    const { authorization } = await authorizer.headers(request);
    const header = (name: string) => (name === 'authorization' ? authorization : undefined);
    const judged = await protection.authorize({ method: 'POST', path: new URL(resource).pathname, query: '', header });
    return identify('auth' in judged ? judged.auth : undefined);
  }

  /** The metadata of the resource is here: behind a proxy its URL may lead nowhere from this machine. */
  #fetch(): AuthFetch {
    const { resource, protection, fetch: fetchLike = defaultFetch } = this.#options;
    return async (url, init, guard) => {
      const { origin, pathname } = new URL(url);
      const text = origin === new URL(resource).origin ? protection.documents.get(pathname) : undefined;
      if (text === undefined) return fetchLike(url, init, guard);
      return new Response(text, { headers: { 'content-type': 'application/json' } });
    };
  }
}

const defaultFetch: AuthFetch = (url, init) => fetch(url, init);

declare const Response: { new (body: string, init: { headers: Record<string, string> }): globalThis.Response };

/** Registrations of the client are kept; what shows who a user is lasts no longer than the visit. */
function registrationsOf(vault: Vault): Vault {
  const own = memoryVault();
  const vaultFor = ([kind]: readonly string[]) => (kind === 'client' ? vault : own);
  return {
    get: key => vaultFor(key).get(key),
    update: (key, change) => vaultFor(key).update(key, change),
  };
}
