/** SHA-256 without a promise: names are made where nothing can be awaited. https://doi.org/10.6028/NIST.FIPS.180-4 */

const BLOCK = 64;
const LENGTH_OFFSET = 56;
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

const [ROUND_CONSTANTS, INITIAL_STATE] = computeConstants();

/** The beginning of the digest of a text, in lower-case base 32: `characters` of 5 bits each, 51 at most. */
export function digestShort(text: string, characters: number): string {
  let bits = 0n;
  for (const word of hashSha256(text)) bits = (bits << 32n) | BigInt(word);
  let digest = '';
  for (let at = 0; at < characters; at++) digest += BASE32[Number((bits >> BigInt(251 - 5 * at)) & 31n)];
  return digest;
}

/** Two bytes for each UTF-16 unit: halves of surrogate pairs, which UTF-8 cannot tell apart, stay apart. */
function hashSha256(text: string): Uint32Array {
  const length = text.length * 2;
  const view = new DataView(new ArrayBuffer(Math.ceil((length + 9) / BLOCK) * BLOCK));
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at));
  view.setUint8(length, 0x80);
  view.setBigUint64(view.byteLength - BLOCK + LENGTH_OFFSET, BigInt(length) * 8n);
  const state = Uint32Array.from(INITIAL_STATE);
  for (let at = 0; at < view.byteLength; at += BLOCK) compress(state, view, at);
  return state;
}

function compress(state: Uint32Array, view: DataView, start: number): void {
  const schedule = new Uint32Array(64);
  for (let t = 0; t < 64; t++) {
    schedule[t] = t < 16 ? view.getUint32(start + t * 4) : extendSchedule(schedule, t);
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t++) {
    const choice = (e & f) ^ (~e & g);
    const first =
      (h +
        (rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25)) +
        choice +
        ROUND_CONSTANTS[t]! +
        schedule[t]!) |
      0;
    const second = ((rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = state[at]! + word;
}

function extendSchedule(schedule: Uint32Array, t: number): number {
  const [near, far] = [schedule[t - 2]!, schedule[t - 15]!];
  const small = rotateRight(far, 7) ^ rotateRight(far, 18) ^ (far >>> 3);
  const large = rotateRight(near, 17) ^ rotateRight(near, 19) ^ (near >>> 10);
  return schedule[t - 16]! + small + schedule[t - 7]! + large;
}

function rotateRight(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** The fractions of the cube and square roots of the first primes, as the standard has them. */
function computeConstants(): [Uint32Array, Uint32Array] {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every(prime => n % prime !== 0)) primes.push(n);
  return [
    Uint32Array.from(primes, prime => computeFraction(prime, 3n)),
    Uint32Array.from(primes.slice(0, 8), prime => computeFraction(prime, 2n)),
  ];
}

/** The first 32 bits after the point of a root, by integers: floating point is not exact enough everywhere. */
function computeFraction(prime: number, root: bigint): number {
  const wanted = BigInt(prime) << (32n * root);
  let [low, high] = [0n, 1n << 40n];
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (middle ** root <= wanted) low = middle;
    else high = middle;
  }
  return Number(low & 0xffffffffn);
}
