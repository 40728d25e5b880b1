import { parseJsonText } from '@tenon/base';
import type { CallerSignInsView, CallerSignInView } from '@tenon/console/api';
import { TenonError } from 'tenon';
import { type CallerSignIn, listSignIns, type SignOutOutcome, type StoredSignIn, type TokenStore } from 'tenon/auth';

/** Sign-ins of the callers of a gateway at its servers, as the token store has them. */
export class CallerSignIns {
  readonly #tokenStore: TokenStore;
  readonly #running: Pick<CallerSignIn, 'signOut'>;

  /** @param running The sign-in of this process, which has access tokens in memory. */
  constructor(tokenStore: TokenStore, running: Pick<CallerSignIn, 'signOut'>) {
    this.#tokenStore = tokenStore;
    this.#running = running;
  }

  async list(): Promise<CallerSignInsView & { readonly signIns: readonly CallerSignInView[] }> {
    return { signIns: (await listSignIns({ tokenStore: this.#tokenStore })).map(describeSignIn) };
  }

  /** Signs a caller out: deletes the tokens in this process and in the store, and revokes them. */
  async revoke(id: string): Promise<SignOutOutcome> {
    const found = (await listSignIns({ tokenStore: this.#tokenStore })).find(each => describeSignIn(each).id === id);
    if (!found)
      throw new TenonError('console/unknown', 'the sign-in is not in the token store', {
        hint: 'choose another sign-in',
      });
    const { caller, server } = describeSignIn(found);
    const { principal, clientId, issuer } = { ...caller, ...readOwner(found) };
    // A process that runs keeps the access token, so that it is signed out first. The store may have more tokens.
    if (principal !== undefined) await this.#running.signOut(server, { principal, clientId, issuer }).catch(() => {});
    return found.signOut();
  }
}

/** Reads the caller from the user of an entry: the key of the owner, and the server. */
function readOwner({ user }: StoredSignIn): {
  principal?: string;
  clientId?: string;
  issuer?: string;
  server?: string;
} {
  try {
    const [owner, server] = [parseJsonText(user ?? '')].flat();
    const [principal, clientId, issuer] = [parseJsonText(String(owner))].flat();
    const read = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
    return Object.fromEntries(
      Object.entries({
        principal: read(principal),
        clientId: read(clientId),
        issuer: read(issuer),
        server: read(server),
      }).filter(([, value]) => value !== undefined),
    );
  } catch {
    return {};
  }
}

function describeSignIn(signIn: StoredSignIn): CallerSignInView {
  const { server = '', principal, clientId } = readOwner(signIn);
  return {
    id: Buffer.from(JSON.stringify([signIn.user, signIn.server, signIn.clientId])).toString('base64url'),
    caller: { principal, clientId },
    server,
    url: signIn.server,
    clientId: signIn.clientId ?? null,
  };
}
