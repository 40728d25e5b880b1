import { type Clock, createSigner, type Signer } from '@tenon/base';

/** DPoP nonces of a stateless server: a signed timestamp. */
export interface DpopNonces {
  createNonce(): Promise<string>;
  /** Tells if a nonce is valid, and if the client should get the next one (`ageing`). */
  verifyNonce(nonce: string): Promise<'good' | 'ageing' | 'bad'>;
}

/** Options of DPoP nonces. */
export interface NonceOptions {
  /**
   * Signing keys of at least 32 bytes, the same in all processes that serve the resource. The first key signs. All
   * keys verify.
   * @default a random key of this process
   */
  readonly keys?: readonly Uint8Array[] | undefined;
  /**
   * Lifetime of a nonce, in milliseconds. A client gets another one after half of that time.
   * @default 300,000 (5 minutes)
   */
  readonly ttl?: number | undefined;
}

/**
 * Creates the nonces of DPoP proofs.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9449#section-9
 */
export function createDpopNonces(clock: Clock, { keys, ttl = 300_000 }: NonceOptions): DpopNonces {
  let signers: Signer[] | undefined;
  // The key is created on first use, because Workers cannot create random values before the first request.
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
