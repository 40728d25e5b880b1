import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { WireRow } from '../api.js';
import { findResponse, findRow, getRows, rowChanges, servers, toTracePath } from '../console-state.js';
import type { FilterValues } from '../filter/complete-filter.js';
import { MESSAGE_STATES } from '../filter/filter-keys.js';
import { formatFilter } from '../filter/parse-filter.js';
import { useFilteredRows } from '../filter/use-filter.js';
import { formatCount, formatDuration, formatSize, formatTime } from '../format.js';
import { ComparedMessage } from '../parts/compared-message.js';
import { FilterField } from '../parts/filter-field.js';
import { LazyDecision } from '../parts/lazy-decision.js';
import { MessageBody } from '../parts/message-body.js';
import { Text } from '../parts/text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { readNumber, route, setQuery } from '../route.js';
import { saveRecording } from '../save-file.js';

const ROW_HEIGHT = 24;

/** Keys of addresses that other views use, besides `filter`. */
const QUERY_KEYS = ['server', 'method', 'is', 'call', 'text'] as const;
/** Number of the last messages whose members are offered as values. */
const MAX_OFFERED = 5000;

/** Reads the filter of an address: `?filter=…`, and members such as `?server=notes&is=error`. */
function readFilter(query: URLSearchParams): string {
  const members = QUERY_KEYS.flatMap(key => {
    const value = query.get(key);
    return value ? [{ key, isNegated: false, values: [value] }] : [];
  });
  return [formatFilter(members), query.get('filter') ?? ''].filter(Boolean).join(' ');
}

/** Returns the values of the last messages for completion. */
function readRowValues(): FilterValues {
  const rows = getRows().slice(-MAX_OFFERED);
  const list = (values: readonly (string | undefined)[]) => [...new Set(values)].filter(value => value !== undefined);
  return {
    method: list(rows.map(({ method }) => method)),
    name: list(rows.map(({ name }) => name)),
    version: list(rows.map(({ version }) => version)),
    server: [...servers.value.keys()],
    is: MESSAGE_STATES,
  };
}

interface WirePageProps {
  /** Head of a recording, above the filter. */
  readonly top?: ComponentChildren;
  /** Draws the call of the chosen message below it, for a recording. */
  readonly renderCall?: ((call: number) => ComponentChildren) | undefined;
}

/** All messages of all servers, with the chosen one on the right. */
export function WirePage({ top, renderCall }: WirePageProps) {
  const changes = rowChanges.value;
  const { query } = route.value;
  const filter = readFilter(query);
  const at = readNumber(query.get('at')) ?? 0;
  const { rows, issues } = useFilteredRows(getRows(), filter, changes);
  const [missing, setMissing] = useState(0);
  const setFilter = (text: string) =>
    setQuery({ ...Object.fromEntries(QUERY_KEYS.map(key => [key, null])), filter: text });
  const chosen = at === 0 ? -1 : rows.findIndex(row => row.seq === at);
  return (
    <main class={`view wire ${top ? 'has-head ' : ''}${at === 0 ? 'at-list' : 'at-detail'}`}>
      <h1 class="for-readers">Messages</h1>
      {top}
      <div class="wire-list">
        <div class="filters">
          <FilterField
            label="Filter of messages"
            value={filter}
            onChange={setFilter}
            issues={issues}
            readValues={readRowValues}
          />
          <button
            type="button"
            data-key="e"
            title="Save these messages as a recording (e)"
            disabled={rows.length === 0 || renderCall !== undefined}
            onClick={() =>
              void saveRecording(filter === '' ? {} : { messages: rows.map(({ seq }) => seq) }).then(setMissing)
            }
          >
            Save
          </button>
          <span class="dim figures" role="status">
            {missing > 0 ? `${formatCount(missing, 'message')} without text left out · ` : ''}
            {rows.length.toLocaleString('en')} messages
          </span>
        </div>
        {rows.length === 0 ? (
          <p class="empty">
            No messages. <a href="/">Connect a server</a>, or change the filter.
          </p>
        ) : (
          <VirtualList
            label="Messages"
            count={rows.length}
            rowHeight={ROW_HEIGHT}
            chosen={chosen}
            followsEnd={!renderCall}
            onChoose={index => setQuery({ at: String(rows[index]?.seq ?? '') })}
            renderRow={index => {
              const row = rows[index];
              return row && <MessageRow key={row.seq} row={row} isChosen={row.seq === at} />;
            }}
          />
        )}
      </div>
      {at !== 0 && <MessageDetail seq={at} renderCall={renderCall} />}
    </main>
  );
}

function MessageRow({ row, isChosen }: { readonly row: WireRow; readonly isChosen: boolean }) {
  const { seq, time, server, from, kind, method, id, name, size, call, isError, fault, hop } = row;
  const took = row.took ?? findResponse(seq)?.took;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      class={`message is-${isError ? 'error' : kind}`}
      role="option"
      aria-selected={isChosen}
      onClick={() => setQuery({ at: String(seq) })}
    >
      <span class="time">{formatTime(time)}</span>
      <span class="server">
        <Text value={server} />
        {hop === 'app' && <span class="dim"> app</span>}
      </span>
      <span class="direction" title={`from the ${hop ? from : from === 'client' ? 'console' : 'server'}`}>
        {from === 'client' ? '→' : '←'}
      </span>
      <span class="method">
        <Text value={method} />
        {name !== undefined && (
          <span class="dim">
            {' '}
            <Text value={name} />
          </span>
        )}
      </span>
      <span class="kind">{fault ?? (isError ? 'isError' : kind)}</span>
      <span class="number">{id === undefined ? '' : `#${id}`}</span>
      <span class="number">{took === undefined ? '' : formatDuration(took)}</span>
      <span class="number" title={formatCount(size, 'character')}>
        {formatSize(size)}
      </span>
      <span class="number dim">{call === undefined ? '' : `call ${call}`}</span>
    </div>
  );
}

function MessageDetail({ seq, renderCall }: Pick<WirePageProps, 'renderCall'> & { readonly seq: number }) {
  const row = findRow(seq);
  const response = findResponse(seq);
  const partner = row?.request ?? response?.seq;
  return (
    <aside class="pane detail" aria-label="Message">
      <header class="detail-head">
        <h2 class="mono">
          {row ? (
            <>
              {row.from === 'client' ? '→' : '←'} <Text value={row.method} /> <span class="dim">{row.kind}</span>
            </>
          ) : (
            `message ${seq}`
          )}
        </h2>
        {partner !== undefined && (
          <button type="button" onClick={() => setQuery({ at: String(partner) })}>
            {row?.request === undefined ? 'Response' : 'Request'}
          </button>
        )}
        {!renderCall && <ComparedMessage seq={seq} />}
        {!renderCall && row?.call !== undefined && <a href={`/call/${row.call}`}>call {row.call}</a>}
        {row?.method && <a href={toTracePath(seq)}>trace</a>}
        <button type="button" class="quiet" aria-label="Close" onClick={() => setQuery({ at: null })}>
          ×
        </button>
      </header>
      {row && (
        <p class="dim">
          {formatTime(row.time)} · {row.server}
          {row.id === undefined ? '' : ` · id ${row.id}`}
          {row.took === undefined ? '' : ` · ${formatDuration(row.took)}`} · {formatSize(row.size)} characters
        </p>
      )}
      {!renderCall && row?.call !== undefined && <LazyDecision call={row.call} />}
      <MessageBody seq={seq} />
      {row?.call !== undefined && renderCall?.(row.call)}
    </aside>
  );
}
