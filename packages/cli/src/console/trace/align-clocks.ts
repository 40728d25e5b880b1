import type { TraceRequest, TraceSource } from './trace-requests.js';

/** Milliseconds by which the clock of each source is moved. */
export type ClockShifts = ReadonlyMap<TraceSource, number>;

/** Limits for the difference between the shifts of two sources. */
interface Limit {
  readonly one: TraceSource;
  readonly other: TraceSource;
  /** Minimum of the shift of `other` less that of `one`. */
  readonly min: number;
  /** Maximum of it, which yields to the minimum. */
  readonly max: number;
}

/**
 * Moves the clocks of the sources as little as possible, so that no request begins before the one that has caused it, and
 * ends before it where that is possible.
 *
 * @param root Source whose clock is not moved.
 */
export function alignClocks(root: TraceSource, requests: readonly TraceRequest[]): ClockShifts {
  const limits = requests.flatMap(listLimits);
  const shifts = new Map<TraceSource, number>([[root, 0]]);
  for (;;) {
    const next = limits.find(({ one, other }) => shifts.has(one) !== shifts.has(other));
    if (!next) return shifts;
    const source = shifts.has(next.one) ? next.other : next.one;
    let [min, max] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const limit of limits) {
      const known = shifts.get(limit.one === source ? limit.other : limit.one);
      if (known === undefined || (limit.one !== source && limit.other !== source)) continue;
      if (limit.other === source) {
        min = Math.max(min, known + limit.min);
        max = Math.min(max, known + limit.max);
      } else {
        min = Math.max(min, known - limit.max);
        max = Math.min(max, known - limit.min);
      }
    }
    shifts.set(source, Math.max(min, Math.min(max, 0)));
  }
}

const endOf = ({ message, response }: TraceRequest): number => response?.row.time ?? message.row.time;

function listLimits(request: TraceRequest): Limit[] {
  const { cause, previous, source } = request;
  const start = request.message.row.time;
  if (cause && cause.to.source !== source) {
    const { to } = cause;
    const min = to.message.row.time - start;
    const max = to.response ? endOf(to) - endOf(request) : Number.POSITIVE_INFINITY;
    return [{ one: to.source, other: source, min, max: Math.max(min, max) }];
  }
  if (!cause && previous?.isCertain && previous.to.source !== source)
    return [{ one: previous.to.source, other: source, min: endOf(previous.to) - start, max: Number.POSITIVE_INFINITY }];
  return [];
}
