/** The part of `node:crypto` that portable code uses. */
export interface NodeCrypto {
  createHash(algorithm: 'sha256'): NodeHash;
  createCipheriv(algorithm: string, key: Uint8Array, iv: Uint8Array, options: CipherOptions): NodeCipher;
  createDecipheriv(algorithm: string, key: Uint8Array, iv: Uint8Array, options: CipherOptions): NodeDecipher;
}

interface NodeHash {
  update(data: string | Uint8Array): NodeHash;
  digest(): Uint8Array;
  digest(encoding: 'base64url'): string;
}

interface CipherOptions {
  readonly authTagLength: number;
}

interface NodeCipher {
  setAAD(data: Uint8Array): unknown;
  update(data: Uint8Array): Uint8Array;
  final(): Uint8Array;
  getAuthTag(): Uint8Array;
}

interface NodeDecipher extends Omit<NodeCipher, 'getAuthTag'> {
  setAuthTag(tag: Uint8Array): unknown;
}

/** Runtimes with Node modules have this function. Others have only WebCrypto, which is asynchronous. */
declare const process: { getBuiltinModule?(name: 'node:crypto'): NodeCrypto | undefined } | undefined;

/** The module, or `null` if the runtime does not have it. */
let nodeCrypto: NodeCrypto | null | undefined;

/** Returns `node:crypto`, or `null` in a runtime without it. The first call loads it, because loading takes 2 ms. */
export function getNodeCrypto(): NodeCrypto | null {
  if (nodeCrypto !== undefined) return nodeCrypto;
  nodeCrypto = (typeof process === 'undefined' ? undefined : process.getBuiltinModule?.('node:crypto')) ?? null;
  return nodeCrypto;
}
