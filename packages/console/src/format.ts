/** Formats a duration in milliseconds: `0.4 ms`, `12 ms`, `1.24 s`, `2 min 5 s`. */
export function formatDuration(duration: number): string {
  if (duration < 10) return `${Math.round(duration * 10) / 10} ms`;
  if (duration < 1000) return `${Math.round(duration)} ms`;
  if (duration < 60_000) return `${(duration / 1000).toFixed(2)} s`;
  const seconds = Math.floor(duration / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Formats a size in characters: `812`, `1.2k`, `3.4M`. */
export function formatSize(size: number): string {
  if (size < 1000) return String(size);
  return size < 1_000_000 ? `${(size / 1000).toFixed(1)}k` : `${(size / 1_000_000).toFixed(1)}M`;
}

/** Formats a time of this day with milliseconds. */
export function formatTime(time: number): string {
  const date = new Date(time);
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}

export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
