import { systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { type CallerIdentity, getOwnerKey } from '../../model/owner.js';
import type { Authorizer, RefusedRequest } from '../authorizer.js';
import { memoryVault, type Vault, vaultOf } from '../credentials.js';
import { signIn } from '../sign-in.js';
import { callerRequired, signInRequired } from '../sign-in-required.js';
import { createPages } from './endpoint.js';
import type { CallerSignIn, CallerSignInChange, CallerSignInOptions } from './options.js';
import { createDeadline, keyOf, type OpenPage, PendingSignIns, pageRedirect } from './pending.js';
import { Visits } from './visits.js';

/** Nobody can sign in for a caller without a name. */
const ANONYMOUS: Authorizer = {
  headers: async () => ({}),
  async refused({ status }) {
    if (status === 401) throw callerRequired();
    return false;
  },
};

const TIMEOUT = 600_000;
const MAX_PENDING = 10_000;
/** Callers whose authorizers are kept ready; the one that was used longest ago gives way. */
const MAX_AUTHORIZERS = 10_000;

/** Makes what signs each caller of a gateway in to the servers behind it, by pages that the gateway serves. */
export function createCallerSignIn(options: CallerSignInOptions): CallerSignIn {
  const { clock = systemClock, timeout = TIMEOUT, maxPending = MAX_PENDING, vault = memoryVault() } = options;
  const base = checkUrl(options.url);
  const url = base.href.replace(/\/$/, '');
  const pending = new PendingSignIns(url, maxPending);
  const visits = new Visits({ ...options, url }, clock, timeout, vault);
  const accounts = new Map<string, Account>();
  const deadlines = new Map<ReturnType<typeof createDeadline>, string>();
  const listeners = new Set<(change: CallerSignInChange) => void>();
  const tell = (change: CallerSignInChange) => {
    for (const listener of listeners) listener(change);
  };

  /** Ends the sign-ins that wait: all, or those of one caller at one server. */
  const cancel = (key?: string) => {
    const error = new TenonError('auth/aborted', 'the sign-in was given up');
    for (const [deadline, own] of deadlines) if (key === undefined || own === key) deadline.end(error);
  };

  const accountOf = (server: string, caller: CallerIdentity): Account => {
    const key = keyOf(server, caller);
    const known = accounts.get(key);
    const account = known ?? createAccount(options, ownVault(vault, server, caller), `${url}/callback`);
    accounts.delete(key);
    accounts.set(key, account);
    const [oldest] = accounts.keys();
    if (accounts.size > MAX_AUTHORIZERS && oldest !== undefined) accounts.delete(oldest);
    return account;
  };

  /** Renews the tokens, or rejects as soon as it is known that the user has to sign in. The sign-in goes on. */
  const refused = async (server: string, caller: CallerIdentity, refusal: RefusedRequest): Promise<boolean> => {
    const waiting = pending.get(keyOf(server, caller));
    if (waiting) throw signInRequired(waiting);
    const account = accountOf(server, caller);
    const deadline = createDeadline(clock, timeout);
    deadlines.set(deadline, keyOf(server, caller));
    const page = account.nextPage();
    const renewal = account.authorizer.refused({ ...refusal, signal: deadline.signal });
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
    const other = pending.get(keyOf(server, caller));
    if (other) throw signInRequired(other);
    pending.checkRoom();
    const added = pending.add(server, caller, first, outcome);
    void outcome.then(error => {
      const { elicitationId } = added;
      const action = error ? 'failed' : 'signed-in';
      tell({ action, server, caller, elicitationId, ...(error ? { error } : {}) });
    });
    throw signInRequired(added);
  };

  return {
    authorizer(server, caller) {
      if (caller.principal === undefined) return ANONYMOUS;
      return {
        async headers(request) {
          const account = accountOf(server, caller);
          const headers = await account.authorizer.headers(request);
          account.signedIn = headers.authorization !== undefined;
          return headers;
        },
        refused: refusal => refused(server, caller, refusal),
        answered: answer => accountOf(server, caller).authorizer.answered?.(answer),
      };
    },
    isSignedIn: (server, caller) => accounts.get(keyOf(server, caller))?.signedIn ?? false,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async signOut(server, caller) {
      const account = accountOf(server, caller);
      account.signedIn = false;
      cancel(keyOf(server, caller));
      try {
        await account.authorizer.signOut?.();
      } finally {
        tell({ action: 'signed-out', server, caller });
      }
    },
    endpoint: createPages(base, pending, visits),
    close: () => cancel(),
  };
}

/** The tokens of one caller for one server. */
interface Account {
  readonly authorizer: Authorizer;
  /** The last request had a token. */
  signedIn: boolean;
  /** The next page that the user has to open. */
  nextPage(): Promise<OpenPage>;
}

function createAccount(
  { clock, fetch, clientName = 'MCP gateway' }: CallerSignInOptions,
  vault: Vault,
  uri: string,
): Account {
  let resolve: (page: OpenPage) => void = () => {};
  let next: Promise<OpenPage> | undefined;
  const nextPage = () => {
    next ??= new Promise(given => {
      resolve = given;
    });
    return next;
  };
  const onPage = (page: OpenPage) => {
    next = undefined;
    resolve(page);
  };
  const authorizer = signIn({
    vault,
    clientName,
    redirect: pageRedirect(uri, onPage),
    ...(clock ? { clock } : {}),
    ...(fetch ? { fetch } : {}),
  });
  return { authorizer, nextPage, signedIn: false };
}

/** Tokens are the caller's, the registration of the client is the gateway's. */
function ownVault(vault: Vault, server: string, caller: CallerIdentity): Vault {
  const own = vaultOf(vault, JSON.stringify([getOwnerKey(caller), server]));
  const vaultFor = ([kind]: readonly string[]) => (kind === 'client' ? vault : own);
  return {
    get: key => vaultFor(key).get(key),
    update: (key, change) => vaultFor(key).update(key, change),
  };
}

function checkUrl(given: string): URL {
  const url = new URL(given);
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return url;
  throw new TenonError('auth/options', '`url` of the pages cannot be opened safely', {
    expected: 'https:, or http: on loopback',
    got: url.origin,
  });
}
