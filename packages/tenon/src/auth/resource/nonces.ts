import type { Clock } from '../../jsonrpc/clock.js';
import { createSigner, type Signer } from './digest.js';

/** The nonces of a server that remembers none: the time at which one was made, signed. */
export interface Nonces {
  make(): Promise<string>;
  /** Whether one is good, and whether its holder should have the next. */
  judge(nonce: string): Promise<'good' | 'ageing' | 'bad'>;
}

export interface NonceOptions {
  /**
   * 32 bytes or more each, for all processes that serve the resource alike; the first signs, all are known again. Default:
   * one made for this process.
   */
  readonly keys?: readonly Uint8Array[] | undefined;
  /** How long a nonce is good for, in milliseconds. Default 5 minutes; its holder gets another after half of that. */
  readonly life?: number | undefined;
}

/** https://www.rfc-editor.org/rfc/rfc9449#section-9 */
export function createNonces(clock: Clock, { keys, life = 300_000 }: NonceOptions): Nonces {
  let signers: Signer[] | undefined;
  // Only when they are first needed: Workers have no randomness before the first request.
  const ring = (): Signer[] => {
    signers ??= (keys ?? [crypto.getRandomValues(new Uint8Array(32))]).map(createSigner);
    return signers;
  };
  return {
    async make() {
      const time = Math.floor(clock.now()).toString(36);
      return `${time}.${await (ring()[0] as Signer).sign(time)}`;
    },
    async judge(nonce) {
      const [time = '', signature = '', ...more] = nonce.split('.');
      const age = clock.now() - Number.parseInt(time, 36);
      if (more.length > 0 || !(age >= -life && age < life)) return 'bad';
      for (const signer of ring()) if (await signer.verify(time, signature)) return age < life / 2 ? 'good' : 'ageing';
      return 'bad';
    },
  };
}
