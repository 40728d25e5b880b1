import { encodePathPart } from '@tenon/base';
import { useEffect, useState } from 'preact/hooks';
import type {
  GatewayChange,
  GatewayFigures,
  GatewayServerView,
  GatewayToolsView,
  GatewayView,
  ToolSearchView,
} from '../api.js';
import { canChange } from '../console-state.js';
import { formatCount, formatDuration, formatSize } from '../format.js';
import { Confirmation } from '../parts/confirmation.js';
import { GatewayTabs } from '../parts/gateway-tabs.js';
import { Icon, type IconName } from '../parts/icons.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { Text } from '../parts/text.js';
import { callApi } from '../request.js';
import { route, setQuery } from '../route.js';

/** Time between two readings of the state, in milliseconds. */
const READ_INTERVAL = 2000;

const ICONS: Readonly<Record<string, IconName>> = {
  connected: 'ok',
  idle: 'none',
  connecting: 'waiting',
  reconnecting: 'waiting',
  waiting: 'waiting',
  disabled: 'refused',
  skipped: 'refused',
  failed: 'error',
};

const toGatewayApi = (name: string, part: string): string => `gateway/${encodePathPart(name)}/${part}`;

/** The servers of the gateway to which the console belongs, with their figures, their tools, and the tool search. */
export function GatewayPage() {
  const [gateway, setGateway] = useState<GatewayView | null>(null);
  const [error, run] = useRequest();
  const read = () => run(async () => setGateway(await callApi<GatewayView>('GET', 'gateway')));
  useEffect(() => {
    void read();
    const timer = setInterval(() => {
      if (!document.hidden) void read();
    }, READ_INTERVAL);
    return () => clearInterval(timer);
  }, []);
  return (
    <main class="view pane gateway">
      <GatewayTabs current="" />
      <RequestError error={error} />
      {gateway && (
        <>
          <p class="dim places">
            <Text value={[...gateway.endpoints, ...(gateway.stdio ? ['stdio'] : [])].join(', ')} />
            {' · '}
            <Text value={gateway.files.join(', ')} />
          </p>
          <table class="rows">
            <thead>
              <tr>
                <th>server</th>
                <th>state</th>
                <th>version</th>
                <th class="number">calls</th>
                <th class="number">errors</th>
                <th class="number">p50</th>
                <th class="number">p95</th>
                <th class="number">p99</th>
                <th class="number">tools</th>
                <th class="number">tokens</th>
                <th>change</th>
              </tr>
            </thead>
            <tbody>
              {gateway.servers.map(server => (
                <ServerRows key={server.name} server={server} onChange={read} />
              ))}
            </tbody>
          </table>
          <p class="dim">
            Calls of all callers since the start of the gateway. Each round of a call counts. p50, p95 and p99 are those
            of the last 1,000 calls.
          </p>
          <ToolSearch />
        </>
      )}
    </main>
  );
}

interface ServerRowsProps {
  readonly server: GatewayServerView;
  readonly onChange: () => Promise<void>;
}

function ServerRows({ server, onChange }: ServerRowsProps) {
  const { name, state, protocolVersion, serverName, serverVersion, tools, tokens, figures, reason, lastError } = server;
  const { calls, errors, median, p95, p99 } = figures;
  const [error, run] = useRequest();
  const isOpen = route.value.query.get('server') === name;
  const icon = ICONS[state] ?? 'waiting';
  const notes = [
    lastError?.message === reason ? undefined : reason,
    lastError && `last error, ${lastError.time}: ${lastError.code}: ${lastError.message}`,
  ];
  const shown = notes.filter(note => note !== undefined);
  return (
    <>
      <tr>
        <td class="named">
          <b>
            <Text value={name} />
          </b>{' '}
          <span class="dim">
            <Text value={[serverName === name ? '' : serverName, serverVersion].filter(Boolean).join(' ')} />
          </span>
        </td>
        <td class={`state ${icon}`}>
          <Icon name={icon} /> {state}
        </td>
        <td class="mono" data-label="version">
          {protocolVersion ?? '–'}
        </td>
        <td class="number" data-label="calls">
          {calls}
        </td>
        <td class={errors > 0 ? 'number state error' : 'number'} data-label="errors">
          {errors}
        </td>
        <td class="number" data-label="p50">
          {median === null ? '–' : formatDuration(median)}
        </td>
        <td class="number" data-label="p95">
          {p95 === null ? '–' : formatDuration(p95)}
        </td>
        <td class="number" data-label="p99">
          {p99 === null ? '–' : formatDuration(p99)}
        </td>
        <td class="number" data-label="tools">
          {state === 'skipped' ? (
            '–'
          ) : (
            <button
              type="button"
              class="link"
              aria-expanded={isOpen}
              aria-label={`${tools ?? 'show'} tools of ${name}`}
              onClick={() => setQuery({ server: isOpen ? null : name })}
            >
              {tools ?? 'show'}
            </button>
          )}
        </td>
        <td class="number" data-label="tokens">
          {tokens === undefined ? '–' : formatSize(tokens)}
        </td>
        <td class="changes">
          <ChangeButtons server={server} onChange={onChange} run={run} />
        </td>
      </tr>
      {(shown.length > 0 || error !== '') && (
        <tr class="note">
          <td colSpan={11}>
            {shown.map(note => (
              <p key={note} class="dim">
                <Text value={note ?? ''} />
              </p>
            ))}
            <RequestError error={error} />
          </td>
        </tr>
      )}
      {isOpen && (
        <tr class="note">
          <td colSpan={11}>
            <ServerTools key={`${name} ${state} ${tools}`} name={name} />
          </td>
        </tr>
      )}
    </>
  );
}

interface ChangeButtonsProps extends ServerRowsProps {
  readonly run: (request: () => Promise<void>) => Promise<void>;
}

/** Changes that end the calls of all callers to a server. */
const INTERRUPTING: ReadonlySet<GatewayChange> = new Set(['disable', 'restart']);

/** Buttons for the changes that fit the state of a server. A page that is read-only has none. */
function ChangeButtons({ server: { name, state, calls = 0 }, onChange, run }: ChangeButtonsProps) {
  const [isBusy, setBusy] = useState(false);
  const [asked, setAsked] = useState<GatewayChange | null>(null);
  if (!canChange.value) return <span class="dim">read-only</span>;
  const apply = async (change: GatewayChange) => {
    setAsked(null);
    setBusy(true);
    await run(async () => {
      await callApi('POST', toGatewayApi(name, change));
    });
    await onChange();
    setBusy(false);
  };
  const changes: readonly GatewayChange[] =
    state === 'disabled' ? ['enable'] : state === 'skipped' ? [] : ['disable', 'restart', 'reconnect'];
  if (asked !== null)
    return (
      <Confirmation
        label={`${asked} ${name}?`}
        action={asked}
        refusal="Keep"
        onConfirm={() => void apply(asked)}
        onRefuse={() => setAsked(null)}
      >
        {asked} <Text value={name} />?{' '}
        {calls === 0 ? 'No call is running.' : `${formatCount(calls, 'call')} will fail.`}
      </Confirmation>
    );
  return (
    <span class="actions">
      {changes.map(change => (
        <button
          key={change}
          type="button"
          disabled={isBusy}
          aria-label={`${change} ${name}`}
          onClick={() => (INTERRUPTING.has(change) ? setAsked(change) : void apply(change))}
        >
          {change}
        </button>
      ))}
    </span>
  );
}

/** Describes the calls of a tool in one line. */
function describeFigures(figures: GatewayFigures): string {
  if (figures.calls === 0) return 'no calls';
  const { calls, errors, median, p95, p99 } = figures;
  const durations = Object.entries({ p50: median, p95, p99 })
    .map(([name, duration]) => (duration === null ? '' : `, ${name} ${formatDuration(duration)}`))
    .join('');
  return `${formatCount(calls, 'call')}${errors === 0 ? '' : `, ${formatCount(errors, 'error')}`}${durations}`;
}

/** The tools that the gateway offers of a server, those with the most tokens first. */
function ServerTools({ name }: { readonly name: string }) {
  const [listed, setListed] = useState<GatewayToolsView | null>(null);
  const [error, run] = useRequest();
  useEffect(() => {
    void run(async () => setListed(await callApi<GatewayToolsView>('GET', toGatewayApi(name, 'tools'))));
  }, []);
  if (!listed) return error === '' ? <p class="dim">…</p> : <RequestError error={error} />;
  const { tools, tokens } = listed;
  return (
    <>
      <p class="dim">
        {formatCount(tools.length, 'tool')}, {formatCount(tokens, 'token')} with the names of the gateway
      </p>
      <ul class="found measured">
        {[...tools]
          .sort((a, b) => b.tokens - a.tokens)
          .map(tool => (
            <li key={tool.name}>
              <span class="number">{formatCount(tool.tokens, 'token')}</span>
              <span class="mono">
                <Text value={tool.name} />
              </span>
              <span class="figures">{describeFigures(tool.figures)}</span>
              <span class="dim description" title={tool.description}>
                <Text value={tool.description} />
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}

/** Results of the tool search of the gateway for a text. */
function ToolSearch() {
  const query = route.value.query.get('q') ?? '';
  const [text, setText] = useState(query);
  const [found, setFound] = useState<ToolSearchView | null>(null);
  const [error, run] = useRequest();
  useEffect(() => {
    if (query === '') return setFound(null);
    let isCurrent = true;
    void run(async () => {
      const result = await callApi<ToolSearchView>('GET', `gateway/search?${new URLSearchParams({ query })}`);
      if (isCurrent) setFound(result);
    });
    return () => {
      isCurrent = false;
    };
  }, [query]);
  return (
    <section aria-label="Tool search">
      <h2>Tool search</h2>
      <p class="dim">The result that a model gets from the search if the tools do not fit into --budget.</p>
      <form
        class="actions"
        onSubmit={event => {
          event.preventDefault();
          setQuery({ q: text.trim() });
        }}
      >
        <input
          data-focus
          aria-label="Text to search"
          placeholder="words of a task"
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
        <button type="submit">Search</button>
      </form>
      <RequestError error={error} />
      {found && (
        <p class="dim" role="status">
          {found.tool === null ? (
            'The gateway offers no tools.'
          ) : (
            <>
              {formatCount(found.tools.length, 'tool')} found by <Text value={found.tool} />, a result of{' '}
              {formatCount(found.tokens, 'token')}
            </>
          )}
        </p>
      )}
      {found && (
        <ol class="found">
          {found.tools.map(({ name, server, description = '', tokens }) => (
            <li key={name}>
              <span class="number">{formatCount(tokens, 'token')}</span>
              <span class="mono">
                <Text value={name} />
              </span>
              <span class="dim description" title={description}>
                <Text value={`${server}: ${description}`} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
