import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows above and below the visible ones. */
const MARGIN = 8;

interface VirtualListProps {
  readonly label: string;
  readonly count: number;
  readonly rowHeight: number;
  readonly renderRow: (index: number) => ComponentChildren;
  /** Index of the chosen row, which the keys move. */
  readonly chosen: number;
  readonly onChoose: (index: number) => void;
  /** Stays at the end while rows are added, until the user scrolls up. */
  readonly followsEnd?: boolean;
}

/** A list of any length, of which only the visible rows are in the document. */
export function VirtualList(props: VirtualListProps) {
  const { label, count, rowHeight, renderRow, chosen, onChoose, followsEnd = false } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(900);
  const [seen, setSeen] = useState(count);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !followsEnd || !isAtEnd.current) return;
    element.scrollTop = element.scrollHeight;
    setSeen(count);
  }, [count, followsEnd, height]);
  useLayoutEffect(() => {
    if (chosen < 0) return;
    // A message of the address stays in view while others come.
    isAtEnd.current = false;
    showRow(chosen);
  }, [chosen, height]);
  const onScroll = () => {
    const element = box.current;
    if (!element) return;
    isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - rowHeight;
    if (isAtEnd.current) setSeen(count);
    setTop(element.scrollTop);
  };
  const showRow = (index: number) => {
    const element = box.current;
    if (element && index * rowHeight < element.scrollTop) element.scrollTop = index * rowHeight;
    else if (element && (index + 1) * rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = (index + 1) * rowHeight - element.clientHeight;
  };
  const choose = (index: number) => {
    const wanted = Math.max(0, Math.min(count - 1, index));
    showRow(wanted);
    onChoose(wanted);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.floor(height / rowHeight);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: page,
      PageUp: -page,
      Home: -count,
      End: count,
    };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    if (step === undefined || event.target !== box.current) return;
    event.preventDefault();
    isAtEnd.current = false;
    choose(chosen < 0 ? (step > 0 ? 0 : count - 1) : chosen + step);
  };
  const first = Math.max(0, Math.floor(top / rowHeight) - MARGIN);
  const last = Math.min(count, Math.ceil((top + height) / rowHeight) + MARGIN);
  const rows = Array.from({ length: Math.max(0, last - first) }, (_, offset) => renderRow(first + offset));
  const unseen = followsEnd && !isAtEnd.current ? count - seen : 0;
  return (
    <div class="virtual">
      <div
        class="scroll"
        ref={box}
        role="listbox"
        aria-label={label}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={onKeyDown}
      >
        <div class="space" style={{ height: `${count * rowHeight}px` }}>
          <div class="window" style={{ transform: `translateY(${first * rowHeight}px)` }}>
            {rows}
          </div>
        </div>
      </div>
      {unseen > 0 && (
        <button
          type="button"
          class="pill"
          onClick={() => {
            isAtEnd.current = true;
            if (box.current) box.current.scrollTop = box.current.scrollHeight;
          }}
        >
          {unseen.toLocaleString('en')} new
        </button>
      )}
    </div>
  );
}
