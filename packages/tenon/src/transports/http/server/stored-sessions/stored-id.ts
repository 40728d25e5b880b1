declare const crypto: { getRandomValues(bytes: Uint8Array): Uint8Array };

const LENGTH = 12;
const DIGITS = '0123456789abcdefghijklmnopqrstuv';

/** Creates a random ID of 12 letters and digits (60 bits), for keys and event IDs. */
export function createStoredId(): string {
  return [...crypto.getRandomValues(new Uint8Array(LENGTH))].map(byte => DIGITS[byte % DIGITS.length]).join('');
}
