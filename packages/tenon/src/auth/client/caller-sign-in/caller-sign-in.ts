import {
  type CallerIdentity,
  checkString,
  getOwnerKey,
  isEncryptedOrLocal,
  parseUrl,
  requireArgument,
  requireKnownOptions,
  setNewest,
  systemClock,
  TenonError,
  toCanonicalJson,
} from '@tenon/base';
import type { AuthExceptionsByServer } from '../auth-exceptions.js';
import type { Authorizer, RefusedRequest } from '../authorizer.js';
import type { RegisteredClient } from '../sign-in/sign-in.js';
import { createSignInRequiredError, SIGN_IN_REQUIRED } from '../sign-in/sign-in-required.js';
import { memoryTokenStore, mergeTokenStores, scopeTokenStore, type TokenStore } from '../token-store.js';
import { createCheckedSignIn } from './checked-sign-in.js';
import { createSignInEndpoint } from './endpoint.js';
import type { CallerSignIn, CallerSignInChange, CallerSignInOptions } from './options.js';
import { createDeadline, createPageRedirect, getSignInKey, type OpenPage, PendingSignIns } from './pending-sign-ins.js';
import { VisitRegistry } from './visit-registry.js';

/** Authorizer of callers without a principal, which cannot sign in. */
const ANONYMOUS_AUTHORIZER: Authorizer = {
  getHeaders: async () => ({}),
  async handleRefusal({ status }) {
    if (status === 401)
      throw new TenonError(SIGN_IN_REQUIRED, 'the server requires a sign-in by each caller', {
        hint: 'send an access token with the request',
      });
    return false;
  },
};

const DEFAULT_TIMEOUT = 600_000;
const DEFAULT_MAX_PENDING = 10_000;
/** Maximum number of cached authorizers. The least recently used one is dropped first. */
const MAX_AUTHORIZERS = 10_000;

/**
 * Signs each caller of a gateway in to the servers behind it, on pages that the gateway serves. Pass the result to
 * `createHost` as `callerSignIn`, and serve its pages with `toNode(callerSignIn)`. On Node `fetch` is
 * `fetchWithAddressCheck` by default.
 * @throws TenonError `auth/options` for a `url` that is neither `https:` nor loopback.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-mode-elicitation-requests
 */
export function createCallerSignIn(options: CallerSignInOptions): CallerSignIn {
  requireKnownOptions('createCallerSignIn', options, {
    url: true,
    resource: true,
    issuer: true,
    tokenVerifier: true,
    exceptions: true,
    clients: true,
    client: true,
    clientName: true,
    timeout: true,
    maxPending: true,
    clock: true,
    tokenStore: true,
    fetch: true,
  });
  const {
    clock = systemClock,
    timeout = DEFAULT_TIMEOUT,
    maxPending = DEFAULT_MAX_PENDING,
    tokenStore = memoryTokenStore(),
  } = options;
  const base = checkUrl(options.url);
  const url = base.href.replace(/\/$/, '');
  const pending = new PendingSignIns(url, maxPending);
  const visits = new VisitRegistry({ ...options, url }, clock, timeout, tokenStore);
  const sessions = new Map<string, CallerSession>();
  /** Exceptions of each server. A change replaces the sessions of the server at their next use. */
  const exceptionsOf = new Map<string, AuthExceptionsByServer>();
  const storeExceptions = (server: string, exceptions: AuthExceptionsByServer) => {
    if (toCanonicalJson(exceptionsOf.get(server) ?? {}) !== toCanonicalJson(exceptions))
      exceptionsOf.set(server, exceptions);
  };
  const deadlines = new Map<ReturnType<typeof createDeadline>, string>();
  const listeners = new Set<(change: CallerSignInChange) => void>();
  const notify = (change: CallerSignInChange) => {
    for (const listener of listeners) listener(change);
  };

  /** Aborts pending sign-ins: those with `key`, or all if it is absent. */
  const cancel = (key?: string) => {
    const error = new TenonError('auth/aborted', 'the sign-in was cancelled', { hint: 'sign in again' });
    for (const [deadline, signInKey] of deadlines) if (key === undefined || signInKey === key) deadline.end(error);
  };

  const getSession = (server: string, caller: CallerIdentity): CallerSession => {
    const key = getSignInKey(server, caller);
    let session = sessions.get(key);
    const exceptions = exceptionsOf.get(server);
    if (session === undefined || session.exceptions !== exceptions) {
      // Tokens belong to the caller. Client registrations and redirect URIs belong to the gateway, so all callers share them.
      const own = scopeTokenStore(tokenStore, JSON.stringify([getOwnerKey(caller), server]));
      const store = mergeTokenStores(tokenStore, own);
      session = createCallerSession(options, store, `${url}/callback`, options.clients?.[server], exceptions);
    }
    setNewest(sessions, key, session, MAX_AUTHORIZERS);
    return session;
  };

  /** Renews the tokens. Rejects as soon as the user has to sign in. The sign-in stays pending meanwhile. */
  const renewOrReject = async (server: string, caller: CallerIdentity, refusal: RefusedRequest): Promise<boolean> => {
    const pendingSignIn = pending.get(getSignInKey(server, caller));
    if (pendingSignIn) throw createSignInRequiredError(pendingSignIn);
    const session = getSession(server, caller);
    const deadline = createDeadline(clock, timeout);
    deadlines.set(deadline, getSignInKey(server, caller));
    const page = session.waitForPage();
    const renewal = session.authorizer.handleRefusal({ ...refusal, signal: deadline.signal });
    const outcome = renewal.then(
      () => undefined,
      error => TenonError.from(error),
    );
    void outcome.then(() => {
      deadline.end();
      deadlines.delete(deadline);
    });
    const first = await Promise.race([page, renewal]);
    if (typeof first === 'boolean') return first;
    const other = pending.get(getSignInKey(server, caller));
    if (other) throw createSignInRequiredError(other);
    pending.checkRoom();
    const added = pending.add(server, caller, first, outcome);
    void outcome.then(error => {
      const { elicitationId } = added;
      const action = error ? 'failed' : 'signed-in';
      notify({ action, server, caller, elicitationId, ...(error ? { error } : {}) });
    });
    throw createSignInRequiredError(added);
  };

  return {
    getAuthorizer(server, caller, exceptions = {}) {
      if (caller.principal === undefined) return ANONYMOUS_AUTHORIZER;
      storeExceptions(server, exceptions);
      return {
        async getHeaders(request) {
          const session = getSession(server, caller);
          const headers = await session.authorizer.getHeaders(request);
          session.signedIn = headers.authorization !== undefined;
          return headers;
        },
        handleRefusal: refusal => renewOrReject(server, caller, refusal),
        onResponse: response => getSession(server, caller).authorizer.onResponse?.(response),
      };
    },
    isSignedIn: (server, caller) => sessions.get(getSignInKey(server, caller))?.signedIn ?? false,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async signOut(server, caller) {
      const session = getSession(server, caller);
      session.signedIn = false;
      cancel(getSignInKey(server, caller));
      try {
        await session.authorizer.signOut?.();
      } finally {
        notify({ action: 'signed-out', server, caller });
      }
    },
    endpoint: createSignInEndpoint(base, pending, visits),
    close: () => cancel(),
  };
}

/** Authorizer of one caller for one server. */
interface CallerSession {
  readonly authorizer: Authorizer;
  readonly exceptions: AuthExceptionsByServer | undefined;
  /** True if the last request had a token. */
  signedIn: boolean;
  /** Resolves with the next page that the user has to open. */
  waitForPage(): Promise<OpenPage>;
}

function createCallerSession(
  { clock, fetch, clientName = 'MCP gateway', exceptions: common }: CallerSignInOptions,
  tokenStore: TokenStore,
  redirectUri: string,
  client: RegisteredClient | undefined,
  exceptions: AuthExceptionsByServer | undefined,
): CallerSession {
  let resolve: (page: OpenPage) => void = () => {};
  let nextPage: Promise<OpenPage> | undefined;
  let lastPage: OpenPage | undefined;
  const waitForPage = () => {
    nextPage ??= new Promise(resolvePage => {
      resolve = resolvePage;
    });
    return nextPage;
  };
  const onPage = (page: OpenPage) => {
    lastPage = page;
    nextPage = undefined;
    resolve(page);
  };
  const authorizer = createCheckedSignIn({
    tokenStore,
    clientName,
    exceptions: { ...common, ...exceptions },
    ...(client ? { client } : {}),
    redirect: createPageRedirect(redirectUri, onPage),
    confirmIssuer: (confirmation, signal) => lastPage?.confirmation.confirmIssuer(confirmation, signal) ?? false,
    ...(clock ? { clock } : {}),
    ...(fetch ? { fetch } : {}),
  });
  return { authorizer, exceptions, waitForPage, signedIn: false };
}

function checkUrl(value: string): URL {
  requireArgument('`url` of createCallerSignIn', value, checkString, 'auth/options');
  const url = parseUrl(value);
  if (!url)
    throw new TenonError('auth/options', 'invalid option `url` for the sign-in pages', { expected: 'an absolute URL' });
  if (isEncryptedOrLocal(url)) return url;
  throw new TenonError('auth/options', 'unsafe option `url` for the sign-in pages', {
    expected: 'an https: URL, or http: on loopback',
    received: url.origin,
  });
}
