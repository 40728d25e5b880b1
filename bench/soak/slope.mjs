// @ts-check
/** Whether something grows: a straight line through what was measured, and how far it can be trusted. */

/** `error`: half of the interval in which the slope is with 95 %. @typedef {{ slope: number, error: number, mean: number }} Line */

/** Of the normal distribution: there are enough points for it. */
const CERTAIN = 1.96;
const MOST_ALIKE = 0.95;

/** By least squares. What deviates often deviates likewise a moment later: the error is widened by that. @param {readonly number[]} xs @param {readonly number[]} ys @returns {Line} */
export function lineThrough(xs, ys) {
  const count = xs.length;
  if (count < 4 || ys.length !== count) throw new Error('a line needs four points at the least');
  const [x0, mean] = [average(xs), average(ys)];
  const spread = sum(xs.map(x => (x - x0) ** 2));
  const slope = sum(xs.map((x, at) => (x - x0) * ((ys[at] ?? 0) - mean))) / spread;
  const rests = xs.map((x, at) => (ys[at] ?? 0) - mean - slope * (x - x0));
  const squares = sum(rests.map(rest => rest ** 2));
  const alike = squares === 0 ? 0 : sum(rests.slice(1).map((rest, at) => rest * (rests[at] ?? 0))) / squares;
  const wider = Math.min(Math.max(alike, 0), MOST_ALIKE);
  const error = CERTAIN * Math.sqrt(squares / (count - 2) / spread) * Math.sqrt((1 + wider) / (1 - wider));
  return { slope, error, mean };
}

/**
 * What a line says of a span of xs: no growth where it cannot have been as much as `limit`, growth where there was some
 * for certain and it may have been as much; else the noise is too large to tell.
 * @param {Line} line @param {number} span @param {number} limit
 * @returns {'no growth' | 'growth' | 'not to be told'}
 */
export function verdict({ slope, error }, span, limit) {
  if ((slope + error) * span < limit) return 'no growth';
  return slope - error > 0 ? 'growth' : 'not to be told';
}

const sum = (/** @type {readonly number[]} */ values) => values.reduce((all, value) => all + value, 0);
const average = (/** @type {readonly number[]} */ values) => sum(values) / values.length;
