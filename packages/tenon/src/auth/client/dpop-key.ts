import { setNewest } from '@tenon/base';
import { exportJWK, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';

/**
 * Key that proves the possession of tokens, so that a stolen token is useless.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449
 */
export interface DpopKey {
  /** Handle for requests to authorization servers. */
  readonly handle: oauth.DPoPHandle;
  /** Creates a proof for one request to the server. It has a unique ID and the latest nonce of the origin. */
  createProof(request: { readonly method: string; readonly url: string }, token: string): Promise<string>;
  /** Stores the nonce of a server for the next proofs. */
  storeNonce(url: string, nonce: string | undefined): void;
}

const MAX_NONCES = 100;
const MAX_NONCE_LENGTH = 1_024;

/** Creates a non-extractable key. It exists only in this process. */
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
      setNewest(nonces, origin, nonce, MAX_NONCES);
    },
  };
}
