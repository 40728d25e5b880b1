import { useEffect, useState } from 'preact/hooks';
import { formatDuration } from '../format.js';

/** The time until an end, in whole seconds. It counts down, and stays at zero. */
export function TimeLeft({ end }: { readonly end: number }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil(Math.max(0, end - now) / 1000);
  return <span class="time-left">{seconds < 60 ? `${seconds} s` : formatDuration(seconds * 1000)}</span>;
}
