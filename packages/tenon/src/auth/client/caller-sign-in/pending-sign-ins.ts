import { type CallerIdentity, type Clock, createRandomText, getOwnerKey, TenonError } from '@tenon/base';
import type { Redirect } from '../sign-in/redirect.js';
import type { SignInRequest } from '../sign-in/sign-in-required.js';
import { createPageConfirmation, type PageConfirmation } from './page-confirmation.js';

/** Page of an authorization server that the user has to open. */
export interface OpenPage {
  readonly url: URL;
  readonly state: string;
  /** Path of the redirect URI. A response at another path belongs to another authorization server. */
  readonly path: string;
  /** Confirmation of the issuer by the user of this page. */
  readonly confirmation: PageConfirmation;
  /** Completes the page with the redirect URL that the browser requested. */
  resolve(url: URL): void;
  /** Page that follows, if the same sign-in needs another one, because the client had to register again. */
  readonly next?: Promise<OpenPage> | undefined;
}

/**
 * Creates a redirect that passes the page to `onPage`, so that the browser of the requesting user can open it.
 *
 * @param uri Redirect URI of clients that are registered by hand.
 */
export function createPageRedirect(uri: string, onPage: (page: OpenPage) => void): Redirect {
  let announce: (page: OpenPage) => void = () => {};
  return {
    async begin(_knownUris, _signal, issuerPath) {
      const redirectUri = issuerPath === undefined ? uri : `${uri}/${issuerPath}`;
      return {
        uri: redirectUri,
        authorize: (url, signal) =>
          new Promise((resolve, reject) => {
            if (signal.aborted) return reject(signal.reason);
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
            const announcePage = announce;
            const next = new Promise<OpenPage>(resolveNext => {
              announce = resolveNext;
            });
            const state = url.searchParams.get('state') ?? '';
            const path = new URL(redirectUri).pathname;
            const page = { url, state, path, confirmation: createPageConfirmation(), resolve, next };
            announcePage(page);
            onPage(page);
          }),
        close: () => {},
      };
    },
  };
}

/** Sign-in of one caller at one server that has not ended. */
export interface PendingSignIn extends SignInRequest {
  readonly key: string;
  readonly caller: CallerIdentity;
  /** Page that the browser opens now. */
  page: OpenPage;
  /** Resolves with `undefined` when the caller is signed in, else with the reason. */
  readonly outcome: Promise<Error | undefined>;
  /** Cookie secrets of the browsers that were verified to belong to the caller's user. */
  readonly browsers: Set<string>;
}

/** Stores the pending sign-ins, by caller and server, by elicitation ID, and by the `state` of their page. */
export class PendingSignIns {
  readonly #byKey = new Map<string, PendingSignIn>();
  readonly #byId = new Map<string, PendingSignIn>();
  readonly #max: number;
  readonly #url: string;

  constructor(url: string, max: number) {
    this.#url = url;
    this.#max = max;
  }

  get(key: string): PendingSignIn | undefined {
    return this.#byKey.get(key);
  }

  find(id: string | undefined): PendingSignIn | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  findByState(state: string): PendingSignIn | undefined {
    return [...this.#byKey.values()].find(({ page }) => page.state === state);
  }

  /**
   * Checks that another sign-in may be pending.
   *
   * @throws TenonError `auth/too-many-sign-ins`
   */
  checkRoom(): void {
    if (this.#byKey.size < this.#max) return;
    throw new TenonError('auth/too-many-sign-ins', `too many pending sign-ins (${this.#max})`, {
      hint: 'try again later, or raise `maxPending`',
    });
  }

  add(server: string, caller: CallerIdentity, page: OpenPage, outcome: Promise<Error | undefined>): PendingSignIn {
    const elicitationId = createRandomText();
    const key = getSignInKey(server, caller);
    const pending = {
      key,
      server,
      caller,
      page,
      outcome,
      elicitationId,
      ended: outcome.then(() => {}),
      url: `${this.#url}/start?id=${elicitationId}`,
      browsers: new Set<string>(),
    };
    this.#byKey.set(key, pending);
    this.#byId.set(elicitationId, pending);
    void outcome.then(() => {
      if (this.#byKey.get(key) === pending) this.#byKey.delete(key);
      this.#byId.delete(elicitationId);
    });
    return pending;
  }
}

export function getSignInKey(server: string, caller: CallerIdentity): string {
  return JSON.stringify([server, getOwnerKey(caller)]);
}

/** Creates a signal that aborts after `timeout` milliseconds, unless `end` is called before. */
export function createDeadline(
  clock: Clock,
  timeout: number,
): { readonly signal: AbortSignal; end(reason?: Error): void } {
  const controller = new AbortController();
  const timeoutError = new TenonError('auth/timeout', `the sign-in timed out after ${timeout} ms`, {
    hint: 'sign in again',
  });
  const cancelTimeout = clock.after(timeout, () => controller.abort(timeoutError));
  return {
    signal: controller.signal,
    end(reason) {
      cancelTimeout();
      if (reason) controller.abort(reason);
    },
  };
}
