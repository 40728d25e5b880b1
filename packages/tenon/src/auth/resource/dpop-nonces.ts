import type { Clock } from '../../cancellation/clock.js';
import { createSigner, type Signer } from '../../encoding/hmac.js';

/** The nonces of a server that remembers none: the time at which one was made, signed. */
export interface DpopNonces {
  createNonce(): Promise<string>;
  /** Tells if a nonce is valid, and if the client should get the next one. */
  verifyNonce(nonce: string): Promise<'good' | 'ageing' | 'bad'>;
}

/** Options of DPoP nonces. */
export interface NonceOptions {
  /**
   * 32 bytes or more each, for all processes that serve the resource alike; the first signs, all are known again.
   * Default: one made for this process.
   */
  readonly keys?: readonly Uint8Array[] | undefined;
  /**
   * Time for which a nonce is valid, in milliseconds. Default 300,000: 5 minutes; its holder gets another after half of
   * that.
   */
  readonly ttl?: number | undefined;
}

/** https://www.rfc-editor.org/rfc/rfc9449#section-9 */
export function createDpopNonces(clock: Clock, { keys, ttl = 300_000 }: NonceOptions): DpopNonces {
  let signers: Signer[] | undefined;
  // Only when they are first needed: Workers have no randomness before the first request.
  const getSigners = (): Signer[] => {
    signers ??= (keys ?? [crypto.getRandomValues(new Uint8Array(32))]).map(createSigner);
    return signers;
  };
  return {
    async createNonce() {
      const time = Math.floor(clock.now()).toString(36);
      return `${time}.${await (getSigners()[0] as Signer).sign(time)}`;
    },
    async verifyNonce(nonce) {
      const [time = '', signature = '', ...rest] = nonce.split('.');
      const age = clock.now() - Number.parseInt(time, 36);
      if (rest.length > 0 || !(age >= -ttl && age < ttl)) return 'bad';
      for (const signer of getSigners())
        if (await signer.verify(time, signature)) return age < ttl / 2 ? 'good' : 'ageing';
      return 'bad';
    },
  };
}
