import { useState } from 'preact/hooks';
import type { WireRow } from '../api.js';
import type { AlignedRow, Step } from '../compare/align.js';
import { formatCount, formatDuration, formatSize } from '../format.js';
import { MessageDiff } from './json-diff.js';
import { describeRow } from './ladder.js';
import { MessageBody } from './message-body.js';
import { Text } from './text.js';

const NAMES: Readonly<Record<string, string>> = {
  'notifications/initialized': 'confirm',
  'notifications/progress': 'progress',
  'notifications/message': 'log',
};

/** Name of a step in one or two words. */
const describeMeaning = (meaning: string): string =>
  Object.hasOwn(NAMES, meaning)
    ? (NAMES[meaning] ?? '')
    : meaning.replace(/^(input \w+) .*$/, '$1').replace(/^notifications\//, '');

interface AlignedRowProps {
  readonly row: AlignedRow;
  readonly words: readonly string[];
  readonly versions: readonly string[];
  /** Time of each call, in milliseconds since 1970. */
  readonly starts: readonly (number | undefined)[];
}

/** One step of a call in each version, with the differences in words below it. */
export function AlignedRowView({ row: { meaning, cells }, words, versions, starts }: AlignedRowProps) {
  const [open, setOpen] = useState<WireRow | 'diff' | null>(null);
  const single = cells.flatMap((cell, index) => {
    const row = cell?.rows.length === 1 && !cell.isRepeated ? cell.rows[0] : undefined;
    return row ? [{ row, version: versions[index] ?? '' }] : [];
  });
  const [first, ...others] = single;
  const toggle = (next: WireRow | 'diff') => setOpen(open === next ? null : next);
  return (
    <div class={`aligned${words.length > 0 ? ' is-different' : ''}`}>
      <span class="meaning">
        <Text value={describeMeaning(meaning)} />
        {others.length > 0 && (
          <button type="button" class="link" aria-expanded={open === 'diff'} onClick={() => toggle('diff')}>
            diff
          </button>
        )}
      </span>
      {cells.map((cell, index) => (
        <Cell
          key={versions[index]}
          step={cell}
          version={versions[index] ?? ''}
          start={starts[index]}
          open={open}
          onToggle={toggle}
        />
      ))}
      {words.length > 0 && (
        <div class="words">
          {words.map(each => (
            <p key={each}>
              <Text value={each} />
            </p>
          ))}
        </div>
      )}
      {open === 'diff' && first && (
        <div class="aligned-detail">
          {others.map(({ row, version }) => (
            <MessageDiff key={row.seq} a={first.row.seq} b={row.seq} labels={[first.version, version]} />
          ))}
        </div>
      )}
      {open !== null && open !== 'diff' && (
        <div class="aligned-detail">
          <MessageBody seq={open.seq} />
        </div>
      )}
    </div>
  );
}

interface CellProps {
  readonly step: Step | undefined;
  readonly version: string;
  readonly start: number | undefined;
  readonly open: WireRow | 'diff' | null;
  readonly onToggle: (row: WireRow) => void;
}

function Cell({ step, version, start, open, onToggle }: CellProps) {
  const first = step?.rows[0];
  if (!step || !first)
    return (
      <span class="rung missing">
        <span class="lane-version mono dim">{version}</span>
        <span class="line" />
      </span>
    );
  const offset = start === undefined || first.time < start ? '' : `+${formatDuration(first.time - start)}`;
  return (
    <button
      type="button"
      class={`rung from-${first.from} is-${first.kind}`}
      aria-expanded={open === first}
      title={`${version} ${offset}, ${formatCount(first.size, 'character')}`}
      onClick={() => onToggle(first)}
    >
      <span class="lane-version mono dim">{version}</span>
      <span class="line">
        <span class="label">
          {first.from === 'client' ? '→ ' : '← '}
          {step.rows.length > 1 && <b>{step.rows.length.toLocaleString('en')} × </b>}
          {step.isRepeated ? 'in the message above' : <Text value={describeRow(first)} />}
        </span>
      </span>
      <span class="figures size">
        {offset} {formatSize(first.size)}
        <span class="unit"> chars</span>
      </span>
    </button>
  );
}
