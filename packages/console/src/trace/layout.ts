import type { TraceBar, TraceView } from '../api.js';

/** Place of a bar on the axis of time, in percent of its width. */
export interface BarPlace {
  readonly left: number;
  readonly width: number;
  /** True if the bar has no end. It is drawn until the end of the axis. */
  readonly isOpen: boolean;
  /** Places of its marks. */
  readonly marks: readonly number[];
}

/** Places a bar on the axis of time of its trace. */
export function placeBar({ start, end }: Pick<TraceView, 'start' | 'end'>, bar: TraceBar): BarPlace {
  const duration = Math.max(1, end - start);
  const toPlace = (time: number) => Math.min(100, Math.max(0, ((time - start) / duration) * 100));
  const left = toPlace(bar.start);
  return {
    left,
    width: toPlace(bar.end ?? end) - left,
    isOpen: bar.end === null,
    marks: bar.marks.map(({ time }) => toPlace(time)),
  };
}

/** Lists round durations for the axis, at most `max` after the first one, which is 0. */
export function listTicks(duration: number, max: number): number[] {
  const span = Math.max(1, duration);
  const size = 10 ** Math.floor(Math.log10(span / max));
  const step = [1, 2, 5, 10].map(factor => factor * size).find(each => span / each <= max) ?? size * 10;
  const count = Math.floor(span / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
