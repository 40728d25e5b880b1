/**
 * Parses a decimal number that a person has typed. Returns `undefined` for any other text, such as `0x10`, `Infinity`,
 * `1e400` or an empty one.
 */
export function parseDecimal(text: string): number | undefined {
  const value = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}
