import { isObject } from '../jsonrpc/message.js';

/** What keywords compare of a value. Nothing where a value of this type has no such measure. */
export type Measure = (value: unknown) => number | undefined;

export const magnitude: Measure = value => (typeof value === 'number' ? value : undefined);
export const characters: Measure = value => (typeof value === 'string' ? countCharacters(value) : undefined);
export const items: Measure = value => (Array.isArray(value) ? value.length : undefined);
export const members: Measure = value => (isObject(value) ? Object.keys(value).length : undefined);

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** In decimal digits, as numbers are written: 0.3 is a multiple of 0.1. */
export function isMultiple(value: number, divisor: number): boolean {
  if (!Number.isFinite(value) || !(divisor > 0)) return false;
  const [digits, exponent] = decimal(value);
  const [ofDivisor, exponentOfDivisor] = decimal(divisor);
  const least = Math.min(exponent, exponentOfDivisor);
  return (digits * 10n ** BigInt(exponent - least)) % (ofDivisor * 10n ** BigInt(exponentOfDivisor - least)) === 0n;
}

function decimal(value: number): [digits: bigint, exponent: number] {
  const [digits = '', exponent] = Math.abs(value).toExponential().split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}

/** The name that JSON Schema has for a value's type; that of JavaScript where it has none. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
