import { useEffect, useMemo, useState } from 'preact/hooks';
import type { SearchResult, WireRow } from '../api.js';
import { findResponse, findRow, getCallRows, getRows, rowChanges, servers } from '../console-state.js';
import { formatDuration, formatSize, formatTime } from '../format.js';
import { MessageBody } from '../parts/message-body.js';
import { Text } from '../parts/text.js';
import { VirtualList } from '../parts/virtual-list.js';
import { callApi } from '../request.js';
import { route, setQuery } from '../route.js';

const ROW_HEIGHT = 24;
const SEARCH_DELAY = 150;

/** All messages of all servers, with the chosen one on the right. */
export function WirePage() {
  const changes = rowChanges.value;
  const { query } = route.value;
  const [server, method, is, text, call] = ['server', 'method', 'is', 'text', 'call'].map(
    name => query.get(name) ?? '',
  );
  const at = Number(query.get('at') ?? 0);
  const found = useSearch(text ?? '', changes);
  const rows = useMemo(
    () => {
      const all = call ? getCallRows(Number(call)) : getRows();
      const wanted = (method ?? '').toLowerCase();
      if (!server && !wanted && !is && !found) return all;
      return all.filter(
        row =>
          (!server || row.server === server) &&
          (!wanted || row.method.toLowerCase().includes(wanted) || row.name?.toLowerCase().includes(wanted)) &&
          (!is || row.kind === is) &&
          (!found || found.has(row.seq)),
      );
    },
    // The rows are changed in place.
    [changes, server, method, is, found, call],
  );
  const chosen = at === 0 ? -1 : rows.findIndex(row => row.seq === at);
  return (
    <main class={`view wire ${at === 0 ? 'at-list' : 'at-detail'}`}>
      <div class="wire-list">
        <div class="filters">
          <input
            type="search"
            data-focus
            aria-label="Text in messages"
            placeholder="text in messages  /"
            value={text}
            onInput={event => setQuery({ text: event.currentTarget.value })}
          />
          <input
            type="search"
            aria-label="Method or name"
            placeholder="method or name"
            value={method}
            onInput={event => setQuery({ method: event.currentTarget.value })}
          />
          <select
            aria-label="Server"
            value={server}
            onChange={event => setQuery({ server: event.currentTarget.value })}
          >
            <option value="">all servers</option>
            {[...servers.value.keys()].map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
          <select aria-label="Kind" value={is} onChange={event => setQuery({ is: event.currentTarget.value })}>
            <option value="">all kinds</option>
            {['request', 'result', 'error', 'notification'].map(kind => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
          {call && (
            <button type="button" class="quiet" onClick={() => setQuery({ call: null })}>
              call {call} ×
            </button>
          )}
          <span class="dim figures">{rows.length.toLocaleString('en')} messages</span>
        </div>
        {rows.length === 0 ? (
          <p class="empty">
            No messages. <a href="/">Connect a server</a>, or remove a filter.
          </p>
        ) : (
          <VirtualList
            label="Messages"
            count={rows.length}
            rowHeight={ROW_HEIGHT}
            chosen={chosen}
            followsEnd
            onChoose={index => setQuery({ at: String(rows[index]?.seq ?? '') })}
            renderRow={index => {
              const row = rows[index];
              return row && <MessageRow key={row.seq} row={row} isChosen={row.seq === at} />;
            }}
          />
        )}
      </div>
      {at !== 0 && <MessageDetail seq={at} />}
    </main>
  );
}

/** Finds the messages with a text. The command searches, because the page has no bodies. */
function useSearch(text: string, changes: number): ReadonlySet<number> | null {
  const [found, setFound] = useState<ReadonlySet<number> | null>(null);
  useEffect(() => {
    if (text === '') return setFound(null);
    let isCurrent = true;
    const timer = setTimeout(() => {
      void callApi<SearchResult>('POST', 'wire/search', { text }).then(result => {
        if (isCurrent) setFound(new Set(result.found));
      });
    }, SEARCH_DELAY);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text, changes]);
  return found;
}

function MessageRow({ row, isChosen }: { readonly row: WireRow; readonly isChosen: boolean }) {
  const { seq, time, server, from, kind, method, id, name, size, call } = row;
  const took = row.took ?? findResponse(seq)?.took;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus
    <div
      class={`message is-${kind}`}
      role="option"
      aria-selected={isChosen}
      onClick={() => setQuery({ at: String(seq) })}
    >
      <span class="time">{formatTime(time)}</span>
      <span class="server">
        <Text value={server} />
      </span>
      <span class="direction" title={from === 'client' ? 'from the console' : 'from the server'}>
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
      <span class="kind">{kind}</span>
      <span class="number">{id === undefined ? '' : `#${id}`}</span>
      <span class="number">{took === undefined ? '' : formatDuration(took)}</span>
      <span class="number">{formatSize(size)}</span>
      <span class="number dim">{call === undefined ? '' : `call ${call}`}</span>
    </div>
  );
}

function MessageDetail({ seq }: { readonly seq: number }) {
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
        {row?.call !== undefined && <a href={`/call/${row.call}`}>call {row.call}</a>}
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
      <MessageBody seq={seq} />
    </aside>
  );
}
