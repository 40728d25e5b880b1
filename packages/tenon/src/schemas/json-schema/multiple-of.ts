/** Tells if one number is a multiple of another in decimal notation: 0.3 is a multiple of 0.1. */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  const [digits, exponent] = toDecimal(value);
  const [divisorDigits, divisorExponent] = toDecimal(divisor);
  const shared = Math.min(exponent, divisorExponent);
  const convertDigits = (number: bigint, from: number) => number * 10n ** BigInt(from - shared);
  return convertDigits(digits, exponent) % convertDigits(divisorDigits, divisorExponent) === 0n;
}

/** Converts a number to an integer and a power of ten. */
function toDecimal(number: number): [digits: bigint, exponent: number] {
  const [coefficient = '', exponent = '0'] = String(Math.abs(number)).split('e');
  const [whole = '', fraction = ''] = coefficient.split('.');
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
