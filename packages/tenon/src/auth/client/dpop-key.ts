import { exportJWK, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';

/** Proves the possession of a key, so that a stolen token is of no use. https://www.rfc-editor.org/rfc/rfc9449 */
export interface DpopKey {
  /** For requests to authorization servers. */
  readonly handle: oauth.DPoPHandle;
  /** A proof for one request to the server, with an id of its own and the nonce that the origin gave last. */
  createProof(request: { readonly method: string; readonly url: string }, token: string): Promise<string>;
  /** Keeps the nonce of a server for the next proofs. */
  storeNonce(url: string, nonce: string | undefined): void;
}

const MAX_NONCES = 100;
const MAX_NONCE_LENGTH = 1_024;

/** Makes a key that cannot be taken out of this process. It lives as long as what is made with it. */
export async function createDpopKey(): Promise<DpopKey> {
  const keys = await oauth.generateKeyPair('ES256', { extractable: false });
  const jwk = await exportJWK(keys.publicKey);
  const nonces = new Map<string, string>();
  return {
    handle: oauth.DPoP({}, keys),
    async createProof({ method, url }, token) {
      const { origin, pathname } = new URL(url);
      const nonce = nonces.get(origin);
      const claims = { htm: method, htu: origin + pathname, ath: await oauth.calculatePKCECodeChallenge(token) };
      return new SignJWT({ ...claims, ...(nonce === undefined ? {} : { nonce }) })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setJti(crypto.randomUUID())
        .setIssuedAt()
        .sign(keys.privateKey);
    },
    storeNonce(url, nonce) {
      if (nonce === undefined || nonce.length > MAX_NONCE_LENGTH) return;
      const { origin } = new URL(url);
      nonces.delete(origin);
      nonces.set(origin, nonce);
      const [oldest] = nonces.keys();
      if (nonces.size > MAX_NONCES && oldest !== undefined) nonces.delete(oldest);
    },
  };
}
