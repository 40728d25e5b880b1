import type { MaybePromise } from '../timing/maybe-promise.js';
import { encodeBase64Url } from './base64.js';
import { encodeText } from './bytes.js';
import { getNodeCrypto } from './node-crypto.js';

declare const crypto: { subtle: { digest(algorithm: string, data: Uint8Array): Promise<ArrayBuffer> } };

const BLOCK = 64;
const LENGTH_SIZE = 8;

/** Returns the SHA-256 of a UTF-8 text, as base64url without padding. */
export function hashSha256(text: string): string {
  return hashByNode(text) ?? encodeBase64Url(computeSha256Portably(text));
}

/**
 * Returns the same as `hashSha256`, as a promise in runtimes without a synchronous implementation. A program whose callers all
 * wait has no implementation of its own in its bundle.
 */
export function digestSha256(text: string): MaybePromise<string> {
  const hash = hashByNode(text);
  if (hash !== undefined) return hash;
  return crypto.subtle.digest('SHA-256', encodeText(text)).then(digest => encodeBase64Url(new Uint8Array(digest)));
}

const hashByNode = (text: string) => getNodeCrypto()?.createHash('sha256').update(text).digest('base64url');

/** Returns the 32 bytes of the SHA-256 of bytes or of a UTF-8 text. */
export function computeSha256(data: string | Uint8Array): Uint8Array {
  const native = getNodeCrypto();
  return native ? native.createHash('sha256').update(data).digest() : computeSha256Portably(data);
}

let constants: { readonly rounds: Uint32Array; readonly state: Uint32Array } | undefined;
const schedule = new Uint32Array(BLOCK);

/**
 * Computes SHA-256 in runtimes without a synchronous implementation.
 * @see https://doi.org/10.6028/NIST.FIPS.180-4
 */
export function computeSha256Portably(data: string | Uint8Array): Uint8Array {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
  const padded = new Uint8Array(Math.ceil((bytes.length + 1 + LENGTH_SIZE) / BLOCK) * BLOCK);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - LENGTH_SIZE, BigInt(bytes.length) * 8n);
  constants ??= computeConstants();
  const state = Uint32Array.from(constants.state);
  for (let start = 0; start < padded.length; start += BLOCK) compress(state, constants.rounds, view, start);
  const digest = new DataView(new ArrayBuffer(state.byteLength));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

function compress(state: Uint32Array, rounds: Uint32Array, view: DataView, start: number): void {
  for (let t = 0; t < 16; t++) schedule[t] = view.getUint32(start + t * 4);
  for (let t = 16; t < BLOCK; t++) schedule[t] = extendSchedule(t);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < BLOCK; t++) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const mixed = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    const first = (h + mixed + choice + rounds[t]! + schedule[t]!) | 0;
    const second = ((rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + majority) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = state[index]! + word;
}

function extendSchedule(t: number): number {
  const [near, far] = [schedule[t - 2]!, schedule[t - 15]!];
  const small = rotateRight(far, 7) ^ rotateRight(far, 18) ^ (far >>> 3);
  const large = rotateRight(near, 17) ^ rotateRight(near, 19) ^ (near >>> 10);
  return schedule[t - 16]! + small + schedule[t - 7]! + large;
}

function rotateRight(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** Computes the constants of the standard: fractions of the cube and square roots of the first primes. */
function computeConstants() {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every(prime => n % prime !== 0)) primes.push(n);
  return {
    rounds: Uint32Array.from(primes, prime => computeFraction(prime, 3n)),
    state: Uint32Array.from(primes.slice(0, 8), prime => computeFraction(prime, 2n)),
  };
}

/**
 * Returns the first 32 bits of the fraction of a root. It uses integers, because floating point is not exact enough
 * everywhere.
 */
function computeFraction(prime: number, root: bigint): number {
  const radicand = BigInt(prime) << (32n * root);
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** root <= radicand) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}
