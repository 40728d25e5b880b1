import type { CallView, ComparedRun, HttpExchangeView, MessageView } from '../api.js';
import { alignSteps, findOpening, readSteps } from '../compare/align.js';
import { describeDifferences } from '../compare/differences.js';
import { describeHttpDifferences, findMessageRequest } from '../compare/http-differences.js';
import { calls, comparisons, getCallRows, getRows, hello, openRequests, rowChanges } from '../console-state.js';
import { formatCount, formatDuration } from '../format.js';
import { callApi, formatError } from '../request.js';
import { setQuery } from '../route.js';
import { AlignedRowView } from './aligned-row.js';
import { CallHeading, CallState } from './call-panel.js';
import { ComparedResults } from './compared-results.js';
import { ForOperator } from './for-operator.js';
import { InputForm } from './input-form.js';
import { readMessage } from './json-diff.js';
import { RequestError, useRequest } from './request-error.js';
import { Text } from './text.js';
import { useReads } from './use-reads.js';

/** Number of messages whose members are compared for the words. */
const MAX_BODIES = 120;

/** Number of versions whose rows have space for the unit of a size. */
const MAX_WIDE_LANES = 3;

/** A version of the comparison. It has a call, or the reason why it has none. */
interface Lane {
  readonly protocolVersion: string;
  readonly call: CallView | undefined;
  readonly run: ComparedRun | undefined;
}

/** One call on several protocol versions: the results, and the messages beside each other. */
export function ComparedVersions({ id, versions }: { readonly id: number; readonly versions: readonly string[] }) {
  const base = calls.value.get(id);
  const [error, run] = useRequest();
  if (!base)
    return (
      <main class="view">
        <p class="empty">
          No call {id}. <a href="/calls">See all calls</a>
        </p>
      </main>
    );
  const runs = comparisons.value.get(id)?.runs ?? [];
  const shown = [...new Set([...versions, base.protocolVersion])].sort();
  const lanes = shown.map((protocolVersion): Lane => {
    if (protocolVersion === base.protocolVersion) return { protocolVersion, call: base, run: undefined };
    const run = runs.find(each => each.protocolVersion === protocolVersion);
    return { protocolVersion, run, call: calls.value.get(run?.call ?? 0) };
  });
  const start = async (wanted: readonly string[]) => {
    setQuery({
      versions: [...new Set([...versions, ...wanted])].filter(each => each !== base.protocolVersion).join(','),
    });
    await run(async () => {
      await callApi('POST', `calls/${id}/compare`, { versions: wanted });
    });
  };
  const approvals = openRequests.value.filter(request => request.call === id && request.kind === 'approval');
  return (
    <main class="view pane compare">
      <header class="call-head">
        <CallHeading call={base} />
        <ForOperator>
          <VersionChoice base={base} shown={shown} runs={runs} onStart={wanted => void start(wanted)} />
        </ForOperator>
      </header>
      <RequestError error={error} />
      {approvals.map(request => (
        <InputForm key={request.id} request={request} />
      ))}
      {lanes.length > 1 ? (
        <Comparison lanes={lanes} onStart={version => void start([version])} />
      ) : (
        <p class="empty">Choose a version above. The console connects to the server once more, and calls again.</p>
      )}
    </main>
  );
}

interface VersionChoiceProps {
  readonly base: CallView;
  readonly shown: readonly string[];
  readonly runs: readonly ComparedRun[];
  readonly onStart: (versions: readonly string[]) => void;
}

/** Buttons for the versions. One that is not shown yet is called, one that is shown is hidden. */
function VersionChoice({ base, shown, runs, onStart }: VersionChoiceProps) {
  const all = [...(hello.value?.protocolVersions ?? [])].sort();
  const hasRun = (version: string) => runs.some(run => run.protocolVersion === version && run.state !== 'refused');
  const toggle = (version: string) => {
    const isShown = shown.includes(version);
    const next = isShown ? shown.filter(each => each !== version) : [...shown, version];
    if (isShown || hasRun(version))
      setQuery({ versions: next.filter(each => each !== base.protocolVersion).join(',') });
    else onStart([version]);
  };
  return (
    <fieldset class="versions" aria-label="Protocol versions">
      {all.map(version => (
        <button
          type="button"
          key={version}
          aria-pressed={shown.includes(version)}
          disabled={version === base.protocolVersion}
          onClick={() => toggle(version)}
        >
          {version}
        </button>
      ))}
      {all.some(version => !shown.includes(version)) && (
        <button
          type="button"
          onClick={() => {
            const rest = all.filter(version => !hasRun(version) && version !== base.protocolVersion);
            if (rest.length > 0) onStart(rest);
            setQuery({ versions: all.filter(each => each !== base.protocolVersion).join(',') });
          }}
        >
          All {all.length}
        </button>
      )}
    </fieldset>
  );
}

/** Reads a message with all digits of its numbers. */
const readBody = async (seq: number): Promise<unknown> => (await readMessage(seq)).body;

/** Reads the HTTP request with a message. Others of the same message authorize it, or end its session. */
const readHttp = async (seq: number): Promise<HttpExchangeView | undefined> =>
  findMessageRequest((await callApi<MessageView>('GET', `wire/${seq}`)).http);

interface ComparisonProps {
  readonly lanes: readonly Lane[];
  readonly onStart: (version: string) => void;
}

function Comparison({ lanes, onStart }: ComparisonProps) {
  // The rows are no signal themselves.
  rowChanges.value;
  const steps = lanes.map(({ call }) =>
    call ? readSteps(call, [...findOpening(getRows(), call.connection), ...getCallRows(call.id)]) : [],
  );
  const aligned = alignSteps(steps);
  const called = lanes.filter(({ call }) => call);
  const wanted = aligned
    .filter(({ cells }) => cells.filter(cell => cell?.rows.length === 1).length > 1)
    .flatMap(({ cells }) => cells.flatMap(cell => (cell?.rows.length === 1 ? [cell.rows[0]?.seq ?? 0] : [])));
  const compared = [...new Set(wanted)].slice(0, MAX_BODIES);
  const bodies = useReads(compared, readBody);
  // The response of a request comes later than its message.
  const isOver = called.every(({ call }) => call?.took !== null);
  const http = useReads(isOver ? compared : [], readHttp);
  const sides = lanes.map(({ protocolVersion, call }) => ({
    protocolVersion,
    isOver: Boolean(call && call.took !== null),
  }));
  const rows = aligned.map(row => {
    const exchanges = row.cells.map(cell => {
      const first = cell?.isRepeated ? undefined : cell?.rows[0];
      return first?.from === 'client' ? (http.get(first.seq) ?? undefined) : undefined;
    });
    const versions = sides.map(({ protocolVersion }) => protocolVersion);
    const words = describeDifferences(row, sides, seq => bodies.get(seq));
    return { row, words: [...words, ...describeHttpDifferences(exchanges, versions)] };
  });
  const different = rows.filter(({ words }) => words.length > 0).length;
  const starts = steps.map(each => each.find(({ meaning }) => meaning === 'call')?.rows[0]?.time);
  return (
    <>
      {lanes.map(lane => (
        <MissingCall key={lane.protocolVersion} lane={lane} onStart={onStart} />
      ))}
      <ComparedResults calls={called.flatMap(({ call }) => call ?? [])} />
      <section
        class={`aligned-rows${lanes.length > MAX_WIDE_LANES ? ' is-narrow' : ''}`}
        style={{ '--lanes': String(lanes.length) }}
      >
        <div class="aligned lane-heads">
          <span class="meaning dim">
            {called.length > 1 && `${different} of ${formatCount(rows.length, 'step')} differ`}
          </span>
          {lanes.map(lane => (
            <LaneHead key={lane.protocolVersion} lane={lane} />
          ))}
        </div>
        {rows.map(({ row, words }, index) => (
          <AlignedRowView
            key={index}
            row={row}
            words={words}
            versions={sides.map(each => each.protocolVersion)}
            starts={starts}
          />
        ))}
        <div class="aligned lane-requests">
          <span />
          {lanes.map(({ protocolVersion, call }) => (
            <LaneRequests key={protocolVersion} protocolVersion={protocolVersion} call={call} />
          ))}
        </div>
      </section>
    </>
  );
}

/** Open input requests of one call. */
function LaneRequests({ protocolVersion, call }: Pick<Lane, 'protocolVersion' | 'call'>) {
  const open = openRequests.value.filter(({ call: owner, kind }) => call && owner === call.id && kind !== 'approval');
  return (
    <div>
      {open.map(request => (
        <div key={request.id}>
          <span class="lane-version mono dim">{protocolVersion}</span>
          <InputForm request={request} />
        </div>
      ))}
    </div>
  );
}

function LaneHead({ lane: { protocolVersion, call } }: { readonly lane: Lane }) {
  return (
    <span class="lane-head">
      <b class="mono">{protocolVersion}</b>{' '}
      {call && (
        <>
          <CallState call={call} />{' '}
          <a class="figures" href={`/call/${call.id}`}>
            call {call.id}
          </a>{' '}
          <span class="figures">
            · {call.took === null ? '' : `${formatDuration(call.took)} · `}
            {formatCount(call.rounds, 'request')}
          </span>
        </>
      )}
    </span>
  );
}

interface MissingCallProps {
  readonly lane: Lane;
  readonly onStart: (version: string) => void;
}

/** Tells why a version has no call. */
function MissingCall({ lane: { protocolVersion, call, run }, onStart }: MissingCallProps) {
  if (call) return null;
  const isBusy = run?.state === 'connecting' || run?.state === 'called' || run?.state === 'approval';
  const words = {
    none: 'not called yet.',
    approval: 'waits for you.',
    connecting: 'connecting…',
    called: 'connected.',
    refused: 'not called, because you refused it.',
    failed: 'no call.',
  }[run?.state ?? 'none'];
  return (
    <p>
      <b class="mono">{protocolVersion}</b>{' '}
      <span class={`state ${run?.state === 'failed' ? 'error' : isBusy ? 'waiting' : 'refused'}`}>{words}</span>{' '}
      <Text value={run?.error ? formatError(run.error) : ''} />{' '}
      {!isBusy && (
        <ForOperator>
          <button type="button" onClick={() => onStart(protocolVersion)}>
            Call on {protocolVersion}
          </button>
        </ForOperator>
      )}
    </p>
  );
}
