import { toCanonicalJson } from '../json/canonical-json.js';

/**
 * Computes a short fingerprint of a JSON value. Equal values have equal fingerprints, and different values almost
 * always have different ones.
 *
 * The fingerprint is not cryptographic and detects only accidental changes. It has 53 bits of two 32-bit multiplicative
 * hashes.
 */
export function computeFingerprint(value: unknown): string {
  const text = toCanonicalJson(value);
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return (4294967296 * (b & 0x1fffff) + (a >>> 0)).toString(36);
}
