/** Types of the ES module of `punycode`, which the published types do not cover. */
declare module 'punycode/punycode.es6.js' {
  /** Throws a `RangeError` for invalid Punycode. */
  export function decode(text: string): string;
}
