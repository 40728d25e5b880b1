import { useEffect, useMemo } from 'preact/hooks';
import type { WireRow } from '../api.js';
import { formatDuration, formatTime } from '../format.js';
import { isField } from '../keyboard.js';
import { readNumber, route, setQuery } from '../route.js';

/** Number of parts of the time that are drawn. */
const PARTS = 200;
const WIDTH = 1000;
const HEIGHT = 24;

/** Moves along the time of a recording. Each step is one message. */
export function ScrubBar({ rows }: { readonly rows: readonly WireRow[] }) {
  const readIndex = () => {
    const at = readNumber(route.value.query.get('at'));
    return rows.findIndex(({ seq }) => seq === at);
  };
  const index = Math.max(0, readIndex());
  const choose = (next: number) =>
    setQuery({ at: String(rows[Math.max(0, Math.min(rows.length - 1, next))]?.seq ?? '') });
  useEffect(() => {
    // The next key may come before the page is drawn again, so the address tells the place.
    const onKeyDown = ({ key, target }: KeyboardEvent) => {
      if (isField(target)) return;
      if (key === 'ArrowLeft') choose(readIndex() - 1);
      if (key === 'ArrowRight') choose(readIndex() + 1);
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [rows]);
  const row = rows[index];
  const start = rows[0]?.time ?? 0;
  const length = Math.max(1, (rows.at(-1)?.time ?? start) - start);
  const parts = useMemo(() => countParts(rows, start, length), [rows]);
  const most = Math.max(1, ...parts.map(({ count }) => count));
  const position = row ? ((row.time - start) / length) * WIDTH : 0;
  return (
    <div class="scrub">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {parts.map(({ count, hasError }, part) =>
          count === 0 ? null : (
            <rect
              key={part}
              class={hasError ? 'error' : ''}
              x={(part / PARTS) * WIDTH}
              width={WIDTH / PARTS - 1}
              y={HEIGHT - Math.max(3, (count / most) * HEIGHT)}
              height={HEIGHT}
            />
          ),
        )}
        <line x1={position} x2={position} y1={0} y2={HEIGHT} />
      </svg>
      <input
        type="range"
        aria-label="Time"
        aria-valuetext={row ? `${formatTime(row.time)} ${row.method} ${row.kind}` : 'no message'}
        min={0}
        max={Math.max(0, rows.length - 1)}
        value={index}
        onInput={event => choose(Number(event.currentTarget.value))}
      />
      <output class="mono dim">
        {row ? `${index + 1} of ${rows.length.toLocaleString('en')}, +${formatDuration(row.time - start)}` : ''}
      </output>
    </div>
  );
}

function countParts(rows: readonly WireRow[], start: number, length: number) {
  const parts = Array.from({ length: PARTS }, () => ({ count: 0, hasError: false }));
  for (const { time, kind, isError } of rows) {
    const part = parts[Math.min(PARTS - 1, Math.floor(((time - start) / length) * PARTS))];
    if (!part) continue;
    part.count += 1;
    part.hasError ||= kind === 'error' || isError === true;
  }
  return parts;
}
