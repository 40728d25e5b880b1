import { encodePathPart } from '@tenon/base';
import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { CallDetail, CallHttpView, CallView } from '../api.js';
import { getCallRows, servers, shownRecording, toSessionPath, toTracePath } from '../console-state.js';
import { formatCount, formatDuration } from '../format.js';
import { callApi } from '../request.js';
import { toComparePath, toServerPath } from '../route.js';
import { ForOperator } from './for-operator.js';
import { HttpExchanges } from './http-exchanges.js';
import { Icon, type IconName } from './icons.js';
import { Ladder } from './ladder.js';
import { LazyDecision } from './lazy-decision.js';
import { ResultView } from './result.js';
import { Text } from './text.js';

const ICONS: Readonly<Record<CallView['state'], IconName>> = {
  running: 'waiting',
  waiting: 'waiting',
  done: 'ok',
  failed: 'error',
  cancelled: 'refused',
};

/** State of a call in words. A result may report an error of the tool. */
const describeState = ({ state, isError }: CallView): string => {
  if (state === 'done') return isError ? 'isError' : 'done';
  // A recording is over, so that nothing in it runs or waits.
  if (shownRecording.value && state === 'waiting') return 'input required';
  if (shownRecording.value && state === 'running') return 'no response';
  return state === 'waiting' ? 'waits for you' : state;
};

export function CallState({ call }: { readonly call: CallView }) {
  const isFailed = call.state === 'failed' || call.isError;
  const kind = isFailed ? 'error' : ICONS[call.state];
  return (
    <span class={`state ${kind}`}>
      <Icon name={kind} /> {describeState(call)}
    </span>
  );
}

/** The server of a call, and its tool, prompt or resource, as the heading of a view. */
export const CallHeading = ({ call: { server, method, name } }: { readonly call: CallView }) => (
  <h1 class="mono">
    <a href={toServerPath(server)}>
      <Text value={server} />
    </a>{' '}
    {method === 'tools/call' ? (
      <a href={toServerPath(server, name)}>
        <Text value={name} />
      </a>
    ) : (
      <Text value={`${method} ${name}`} />
    )}
  </h1>
);

/** The HTTP requests of a call, beneath its messages. A process has none. */
function CallHttp({ call }: { readonly call: CallView }) {
  const [http, setHttp] = useState<CallHttpView | null>(null);
  const isHttp = shownRecording.value === null && servers.value.get(call.server)?.transport === 'http';
  useEffect(() => {
    setHttp(null);
    if (!isHttp) return;
    let isCurrent = true;
    callApi<CallHttpView>('GET', `calls/${call.id}/http`).then(
      read => {
        if (isCurrent) setHttp(read);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [call.id, call.rounds, call.took, isHttp]);
  if (!http || http.messages.length === 0) return null;
  return (
    <section class="call-http">
      <h3>HTTP</h3>
      {http.messages.map(({ seq, exchanges }) => (
        <HttpExchanges key={seq} seq={seq} exchanges={exchanges} />
      ))}
    </section>
  );
}

/** One call: its state, its result, and its rounds as a ladder. */
export function CallPanel({
  call,
  actions,
}: {
  readonly call: CallView;
  /** Actions of a recorded call, in place of those of a live one. */
  readonly actions?: ComponentChildren;
}) {
  const [detail, setDetail] = useState<CallDetail | null>(null);
  const isOver = call.took !== null;
  useEffect(() => {
    setDetail(null);
    if (!isOver) return;
    let isCurrent = true;
    callApi<CallDetail>('GET', toSessionPath(`calls/${call.id}`)).then(
      read => {
        if (isCurrent) setDetail(read);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [call.id, isOver]);
  const [CopyMenu, setCopyMenu] = useState<ComponentType<{ readonly call: CallView }> | null>(null);
  const toggleCopy = async () => {
    if (CopyMenu) return setCopyMenu(null);
    const loaded = await import('./copy-menu.js');
    setCopyMenu(() => loaded.CopyMenu);
  };
  const [first] = getCallRows(call.id);
  const post = (action: string) => void callApi('POST', `calls/${call.id}/${action}`);
  return (
    <section class="call" aria-live="polite">
      <header class="call-head">
        <CallState call={call} />
        <span class="figures">
          {call.took === null ? '' : `${formatDuration(call.took)} · `}
          {formatCount(call.rounds, 'request')} · {formatCount(call.messages, 'message')}
          {detail?.result ? ` · about ${formatCount(detail.tokens, 'token')}` : ''} · {call.protocolVersion}
        </span>
        <span class="actions">
          {actions ?? (
            <>
              <ForOperator>
                {isOver ? (
                  <button type="button" onClick={() => post('repeat')} title="Repeat the call (r)">
                    Repeat
                  </button>
                ) : (
                  <button type="button" onClick={() => post('cancel')}>
                    Cancel
                  </button>
                )}
                <a href={toComparePath(call.id)} title="The same call on another protocol version (v)">
                  compare
                </a>
                {detail?.hasApp && (
                  <a href={`${toServerPath(call.server)}/apps/${encodePathPart(call.name)}?call=${call.id}`}>
                    Open app
                  </a>
                )}
              </ForOperator>
              <button
                type="button"
                data-key="y"
                title="Copy the call for a shell or a program (y)"
                aria-expanded={CopyMenu !== null}
                onClick={() => void toggleCopy()}
              >
                Copy as
              </button>
              <a href={`/call/${call.id}`}>call {call.id}</a>
              <a href={`/wire?call=${call.id}`}>wire</a>
            </>
          )}
          {first && <a href={toTracePath(first.seq)}>trace</a>}
        </span>
      </header>
      {CopyMenu && <CopyMenu call={call} />}
      {isOver && !actions && <LazyDecision call={call.id} />}
      {detail && <ResultView call={detail} />}
      <Ladder call={call} />
      <CallHttp call={call} />
    </section>
  );
}
