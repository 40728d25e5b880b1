import { encodePathPart } from '@tenon/base';
import { useEffect, useState } from 'preact/hooks';
import type { ErrorView, TraceBar, TraceProof, TraceView } from '../api.js';
import { rowChanges } from '../console-state.js';
import { formatCount, formatDuration, formatTime } from '../format.js';
import { adoptStyles } from '../lazy-styles.js';
import { Icon, type IconName } from '../parts/icons.js';
import { Text } from '../parts/text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { callApi, describeFailure, formatError } from '../request.js';
import { navigate, readNumber, route, setQuery, toRecordingPath } from '../route.js';
import { listTicks, placeBar } from '../trace/layout.js';
import { TRACE_STYLES } from '../trace/trace-styles.js';

const ROW_HEIGHT = 26;
const NARROW_ROW_HEIGHT = 48;
const MAX_TICKS = 6;
const NARROW = '(max-width: 719px)';
/** Time between two readings of a trace that grows, in milliseconds. */
const READ_DELAY = 500;

const ICONS: Readonly<Record<TraceBar['state'], IconName>> = {
  ok: 'ok',
  error: 'error',
  waiting: 'waiting',
  open: 'waiting',
  cancelled: 'refused',
};

const toProofPath = ({ recording, seq }: TraceProof): string =>
  `${recording === null ? '/wire' : toRecordingPath(recording)}?at=${seq}`;

/** Reads a trace, and reads it again while requests have no response. */
function useTrace(recording: string | null, seq: number) {
  const [trace, setTrace] = useState<TraceView | null>(null);
  const [error, setError] = useState<ErrorView | null>(null);
  const changes = recording === null && trace?.isOpen !== false ? rowChanges.value : 0;
  const [delayed, setDelayed] = useState(changes);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(changes), trace || error ? READ_DELAY : 0);
    return () => clearTimeout(timer);
  }, [changes]);
  useEffect(() => {
    let isCurrent = true;
    const path = recording === null ? `trace/${seq}` : `recordings/${encodePathPart(recording)}/trace/${seq}`;
    callApi<TraceView>('GET', path).then(
      read => {
        if (!isCurrent) return;
        setTrace(read);
        setError(null);
      },
      thrown => {
        if (isCurrent) setError(describeFailure(thrown));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [recording, seq, delayed]);
  return { trace, error };
}

/** A call over all its hops, as bars on one axis of time. */
export function TracePage({ recording, seq }: { readonly recording: string | null; readonly seq: number }) {
  adoptStyles(TRACE_STYLES);
  const { trace, error } = useTrace(recording, seq);
  const [isNarrow, setNarrow] = useState(matchMedia(NARROW).matches);
  useEffect(() => {
    const list = matchMedia(NARROW);
    const update = () => setNarrow(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, []);
  if (!trace)
    return (
      <main class="view">
        <h1 class="for-readers">Trace</h1>
        <p class="empty">{error ? <Text value={formatError(error)} /> : '…'}</p>
      </main>
    );
  const { bars, start, end } = trace;
  const chosen = readNumber(route.value.query.get('bar')) ?? -1;
  const bar = bars[chosen];
  const ticks = listTicks(end - start, isNarrow ? 3 : MAX_TICKS);
  const toPercent = (offset: number) => `${(offset / Math.max(1, end - start)) * 100}%`;
  const openFirst = (event: KeyboardEvent) => {
    const proof = bar && findProof(trace, bar);
    if (event.key !== 'Enter' || !proof || !(event.target instanceof Element) || event.target.closest('a, button'))
      return;
    event.preventDefault();
    navigate(toProofPath(proof));
  };
  return (
    <main class="view trace" onKeyDown={openFirst}>
      <TraceHead trace={trace} recording={recording} seq={seq} />
      <div class="bar-row axis" aria-hidden="true">
        <span class="bar-name">sender → receiver</span>
        <span class="track">
          {ticks.map(tick => (
            <span key={tick} style={{ left: toPercent(tick) }}>
              {formatDuration(tick)}
            </span>
          ))}
        </span>
        <span class="figures">took</span>
      </div>
      <VirtualList
        label="Bars"
        count={bars.length}
        rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
        chosen={chosen}
        onChoose={index => setQuery({ bar: String(index) })}
        renderRow={index => {
          const each = bars[index];
          return (
            each && (
              <BarRow key={each.id} trace={trace} bar={each} lines={ticks.map(toPercent)} isChosen={index === chosen} />
            )
          );
        }}
      />
      {bar ? (
        <BarDetail trace={trace} bar={bar} />
      ) : (
        <p class="trace-detail dim">
          Press <kbd>↓</kbd> to choose a bar, and <kbd>Enter</kbd> to open its message.
        </p>
      )}
    </main>
  );
}

/** Returns the first message that proves a bar. That of a bar without messages is the one of its parent. */
function findProof({ bars }: TraceView, bar: TraceBar): TraceProof | undefined {
  const own = bar.proofs[0];
  if (own) return own;
  const below = bars.find(({ parent, proofs }) => parent === bar.id && proofs.length > 0);
  return below?.proofs[0] ?? (bar.parent === null ? undefined : bars[bar.parent]?.proofs[0]);
}

function TraceHead({
  trace,
  recording,
  seq,
}: {
  readonly trace: TraceView;
  readonly recording: string | null;
  readonly seq: number;
}) {
  const { title, start, end, bars, shifts, omitted, isOpen } = trace;
  const requests = bars.filter(({ kind }) => kind === 'request');
  const uncertain = bars.filter(({ isCertain }) => !isCertain).length;
  const failed = requests.filter(({ state }) => state === 'error').length;
  const sources = new Set(bars.map(bar => bar.recording)).size;
  return (
    <header class="trace-head">
      <h1 class="mono">
        <Text value={title} />
      </h1>
      <span class="dim">
        trace of{' '}
        <a href={toProofPath({ recording, seq })}>
          message {seq}
          {recording === null ? '' : ` of ${recording}`}
        </a>{' '}
        · {formatTime(start)} · {formatDuration(end - start)}
        {isOpen ? ' · open' : ''} · {formatCount(requests.length, 'request')}
        {sources > 1 ? ` · ${formatCount(sources, 'recording')}` : ''}
      </span>
      {failed > 0 && (
        <span class="state error">
          <Icon name="error" /> {formatCount(failed, 'error')}
        </span>
      )}
      {shifts.map(({ recording: name, by }) => (
        <p key={name} class="dim">
          The clock of {name ?? 'the live session'} is moved by {by > 0 ? '+' : '−'}
          {formatDuration(Math.abs(by))}, so that no request begins before its cause.
        </p>
      ))}
      {uncertain > 0 && (
        <p class="state waiting">
          <Icon name="waiting" /> The place of {formatCount(uncertain, 'bar')} is not certain. Choose{' '}
          {uncertain === 1 ? 'it' : 'one'} to see the reason.
        </p>
      )}
      {omitted > 0 && <p class="dim">{formatCount(omitted, 'request')} more left out.</p>}
    </header>
  );
}

interface BarRowProps {
  readonly trace: TraceView;
  readonly bar: TraceBar;
  /** Places of the lines of the axis. */
  readonly lines: readonly string[];
  readonly isChosen: boolean;
}

function BarRow({ trace, bar, lines, isChosen }: BarRowProps) {
  const { left, width, isOpen, marks } = placeBar(trace, bar);
  const { kind, state, hop, label, outcome, depth, isCertain } = bar;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      class="bar-row"
      role="option"
      aria-selected={isChosen}
      onClick={() => setQuery({ bar: String(bar.id) })}
      onDblClick={() => {
        const proof = findProof(trace, bar);
        if (proof) navigate(toProofPath(proof));
      }}
    >
      <span class="bar-name" style={{ paddingLeft: `${Math.min(depth, 10) * 12}px` }}>
        <span class="what">
          <span class="dim">
            <Text value={hop} />
          </span>{' '}
          <span class="mono">
            <Text value={label} />
          </span>
        </span>
        {(kind !== 'own' && outcome !== '') || !isCertain ? (
          <span class={`state ${ICONS[state]}`}>
            <Icon name={ICONS[state]} /> {isCertain ? '' : '? '}
            <Text value={outcome} />
          </span>
        ) : null}
      </span>
      <span class="track">
        <span class="lines">
          {lines.map(place => (
            <i key={place} style={{ left: place }} />
          ))}
        </span>
        <span
          class={`bar is-${kind} in-${state}${isOpen ? ' is-open' : ''}`}
          style={{ left: `${left}%`, width: `${width}%` }}
        />
        {marks.map((place, index) => (
          <span
            key={index}
            class={`mark is-${bar.marks[index]?.kind ?? ''}`}
            title={bar.marks[index]?.label}
            style={{ left: `${place}%` }}
          />
        ))}
      </span>
      <span class="figures">{bar.end === null ? '–' : formatDuration(bar.end - bar.start)}</span>
    </div>
  );
}

/** One bar: its times, the reason for its place, and the messages that prove it. */
function BarDetail({ trace, bar }: { readonly trace: TraceView; readonly bar: TraceBar }) {
  const { hop, label, start, end, state, outcome, join, isCertain, recording, shift, late, proofs, marks } = bar;
  return (
    <aside class="trace-detail" aria-label="Bar">
      <h2 class="mono">
        <Text value={`${hop} · ${label}`} />
      </h2>
      <p>
        {outcome !== '' && (
          <span class={`state ${ICONS[state]}`}>
            <Icon name={ICONS[state]} /> <Text value={outcome} />
          </span>
        )}{' '}
        <span class="dim">
          +{formatDuration(start - trace.start)}
          {end === null ? ' · no end' : ` · ${formatDuration(end - start)}`}
          {late > 0 ? ` · ends ${formatDuration(late)} after its cause` : ''}
          {recording === null ? '' : ` · ${recording}`}
          {shift === 0 ? '' : ` · moved by ${shift > 0 ? '+' : '−'}${formatDuration(Math.abs(shift))}`}
        </span>
      </p>
      {join !== '' && (
        <p class="dim">
          {isCertain ? 'Here because: ' : 'Not certain: '}
          {join}.
        </p>
      )}
      <ul>
        {proofs.map((proof, index) => (
          <li key={index}>
            <a href={toProofPath(proof)}>
              message {proof.seq}
              {proof.recording === null ? '' : ` of ${proof.recording}`}
            </a>
          </li>
        ))}
        {marks.map(({ time, label: text, proof }, index) => (
          <li key={`mark ${index}`}>
            {proof ? (
              <a href={toProofPath(proof)}>
                <Text value={text} />
              </a>
            ) : (
              <Text value={text} />
            )}{' '}
            <span class="dim">+{formatDuration(Math.max(0, time - trace.start))}</span>
          </li>
        ))}
      </ul>
    </aside>
  );
}
