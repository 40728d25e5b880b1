import { useState } from 'preact/hooks';
import type { CallView, WireRow } from '../api.js';
import { getCallRows, openRequests, rowChanges, shownRecording } from '../console-state.js';
import { formatDuration, formatSize } from '../format.js';
import { LazyInputForm } from './lazy-input-form.js';
import { MessageBody } from './message-body.js';
import { Text } from './text.js';

/** Number of equal notifications in a row that are shown one by one. */
const MAX_REPEATED = 4;
/** Gap between two messages that is drawn, in milliseconds. */
const MIN_GAP = 50;

/** Messages of a call that are shown as one rung. */
interface Rung {
  readonly first: WireRow;
  readonly last: WireRow;
  readonly count: number;
}

/** One call as a ladder: each message from one side to the other, with the gaps between them, and open input requests. */
export function Ladder({ call }: { readonly call: CallView }) {
  // The rows are no signal themselves.
  rowChanges.value;
  const [open, setOpen] = useState<number | null>(null);
  const rows = getCallRows(call.id);
  const rungs = groupRows(rows);
  const start = rows[0]?.time ?? call.startedAt;
  const requests = shownRecording.value ? [] : openRequests.value;
  // A process does not name the call of its request, so it can be any of the calls that run.
  const unassigned = requests.filter(
    ({ call: owner, kind, server, createdAt }) =>
      owner === null &&
      kind !== 'approval' &&
      server === call.server &&
      call.took === null &&
      createdAt >= call.startedAt,
  );
  return (
    <div class="ladder">
      <div class="sides" aria-hidden="true">
        <span>console</span>
        <span>
          <Text value={call.server} />
        </span>
      </div>
      {rungs.map((rung, index) => {
        const { first, count } = rung;
        const before = rungs[index - 1];
        const gap = before ? first.time - before.last.time : 0;
        return (
          <div key={first.seq}>
            {gap >= MIN_GAP && (
              <div class="gap" style={{ height: `${Math.min(40, 8 + Math.log2(gap) * 3)}px` }}>
                {formatDuration(gap)}
              </div>
            )}
            <button
              type="button"
              class={`rung from-${first.from} is-${first.kind}`}
              aria-expanded={open === first.seq}
              onClick={() => setOpen(open === first.seq ? null : first.seq)}
            >
              <span class="offset">+{formatDuration(first.time - start)}</span>
              <span class="line">
                <span class="label">
                  {first.from === 'client' ? '→ ' : '← '}
                  {count > 1 && <b>{count.toLocaleString('en')} × </b>}
                  <Text value={describeRow(first)} />
                  {first.fault && <b class="issue"> {first.fault}</b>}
                </span>
              </span>
              <span class="figures">
                {first.took === undefined ? '' : `${formatDuration(first.took)} `}
                <span class="size">{formatSize(first.size)} chars</span>
              </span>
            </button>
            {open === first.seq && <MessageBody seq={first.seq} />}
          </div>
        );
      })}
      {requests
        .filter(request => request.call === call.id)
        .map(request => (
          <LazyInputForm key={request.id} request={request} />
        ))}
      {unassigned.length > 0 && <p class="dim">The server does not say which call asks:</p>}
      {unassigned.map(request => (
        <LazyInputForm key={request.id} request={request} />
      ))}
      <ProgressLine call={call} />
    </div>
  );
}

/** The last progress of a call that runs. */
export function ProgressLine({ call: { progress, took } }: { readonly call: CallView }) {
  if (!progress || took !== null) return null;
  const { progress: done, total, message = '' } = progress;
  return (
    <p class="dim">
      {total === undefined ? done : `${done} of ${total}`} <Text value={message} />
    </p>
  );
}

/** Describes a message in a few words. A response is named by its request. */
export function describeRow({ kind, method, name = '', resultType }: WireRow): string {
  if (kind === 'result' && resultType !== undefined && resultType !== 'complete') return `${resultType} of ${method}`;
  if (kind === 'result') return `result of ${method}`;
  if (kind === 'error') return `error of ${method}`;
  return name === '' ? method : `${method} ${name}`;
}

function groupRows(rows: readonly WireRow[]): Rung[] {
  const rungs: Rung[] = [];
  let at = 0;
  while (at < rows.length) {
    const first = rows[at];
    if (!first) break;
    let end = at + 1;
    while (end < rows.length && isSame(first, rows[end])) end += 1;
    const isLong = end - at > MAX_REPEATED;
    const shown = isLong ? [rows.slice(at, end)] : rows.slice(at, end).map(row => [row]);
    for (const group of shown)
      rungs.push({ first: group[0] ?? first, last: group.at(-1) ?? first, count: group.length });
    at = end;
  }
  return rungs;
}

const isSame = (one: WireRow, other: WireRow | undefined): boolean =>
  one.kind === 'notification' &&
  other?.kind === 'notification' &&
  one.method === other.method &&
  one.fault === other.fault &&
  one.from === other.from;
