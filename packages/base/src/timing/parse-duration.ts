/** Pattern of the times that `parseDuration` reads, for JSON Schema. Each unit is in a group of its own. */
export const DURATION_PATTERN =
  '^(\\d{1,9}(?:\\.\\d{1,3})?) ?(?:(ms|milliseconds?)|(s|secs?|seconds?)|(m|mins?|minutes?)|(h|hrs?|hours?)|(d|days?))$';
const TIME = new RegExp(DURATION_PATTERN);
const UNITS = [1, 1000, 60_000, 3_600_000, 86_400_000];

/** Parses a time such as `500ms`, `10s`, `1h` or `1 day` to milliseconds. Returns `undefined` for another text. */
export function parseDuration(text: string): number | undefined {
  const [, number, ...units] = TIME.exec(text) ?? [];
  const factor = UNITS[units.findIndex(unit => unit !== undefined)];
  return number === undefined || factor === undefined ? undefined : Number(number) * factor;
}
