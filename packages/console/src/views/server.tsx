import { useEffect, useState } from 'preact/hooks';
import type { ListingView, ReconnectRequest, ServerView, ToolView } from '../api.js';
import { hello, openRequests, servers } from '../console-state.js';
import { InputForm } from '../parts/input-form.js';
import { createLazyView } from '../parts/lazy-view.js';
import { ServerTabs } from '../parts/server-tabs.js';
import { Text } from '../parts/text.js';
import { callApi } from '../request.js';
import { navigate, toServerPath } from '../route.js';
import { ServerStateView, WhyNot } from './board.js';
import { ToolPanel } from './tool.js';

const ServerDetails = createLazyView(async () => (await import('../parts/server-details.js')).ServerDetails);

/** A server with its tools on the left, and the chosen tool or the server itself on the right. */
export function ServerPage({ name, tool }: { readonly name: string; readonly tool: string | undefined }) {
  const server = servers.value.get(name);
  const listing = useListing(server);
  if (!server)
    return (
      <main class="view">
        <p class="empty">
          No server “<Text value={name} />
          ”. <a href="/">See all servers</a>
        </p>
      </main>
    );
  const chosen = tool === undefined ? undefined : listing?.tools.find(each => each.name === tool);
  return (
    <main class={`view split ${tool === undefined ? 'at-list' : 'at-detail'}`}>
      <ToolList server={server} tools={listing?.tools ?? []} chosen={tool} />
      {chosen ? (
        <ToolPanel key={`${name} ${chosen.name}`} server={server} tool={chosen} />
      ) : tool !== undefined && listing ? (
        <p class="empty">
          The server has no tool “<Text value={tool} />
          ”.
        </p>
      ) : (
        <ServerPanel server={server} listing={listing} />
      )}
    </main>
  );
}

/** Reads the lists of a server, and again after each change. */
export function useListing(server: ServerView | undefined): ListingView | null {
  const [listing, setListing] = useState<ListingView | null>(null);
  const name = server?.name;
  const version = server?.listing ?? 0;
  useEffect(() => {
    setListing(null);
  }, [name]);
  useEffect(() => {
    if (name === undefined || version === 0) return;
    let isCurrent = true;
    callApi<ListingView>('GET', `servers/${encodeURIComponent(name)}`).then(
      read => {
        if (isCurrent) setListing(read);
      },
      () => {},
    );
    return () => {
      isCurrent = false;
    };
  }, [name, version]);
  return listing;
}

interface ToolListProps {
  readonly server: ServerView;
  readonly tools: readonly ToolView[];
  readonly chosen: string | undefined;
}

function ToolList({ server, tools, chosen }: ToolListProps) {
  const [filter, setFilter] = useState('');
  const wanted = filter.toLowerCase();
  const shown = tools.filter(({ name, title = '' }) => `${name} ${title}`.toLowerCase().includes(wanted));
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target instanceof HTMLInputElement && shown[0])
      return navigate(toServerPath(server.name, shown[0].name));
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('li a')];
    const focused = document.activeElement;
    const at = focused instanceof HTMLAnchorElement ? links.indexOf(focused) : -1;
    links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  };
  return (
    <nav class="tools" aria-label="Tools" onKeyDown={move}>
      <ServerTabs server={server} current="tools" />
      <input
        type="search"
        data-focus
        aria-label="Filter tools"
        placeholder={`${tools.length} tools  /`}
        value={filter}
        onInput={event => setFilter(event.currentTarget.value)}
      />
      <ul>
        {shown.map(({ name, annotations = {}, tokens }) => (
          <li key={name}>
            <a href={toServerPath(server.name, name)} aria-current={name === chosen ? 'page' : undefined} class="mono">
              <span class="tool-name">
                <Text value={name} />
              </span>
              <span class="badge">
                {annotations.readOnlyHint === true ? 'reads ' : annotations.destructiveHint === true ? 'destroys ' : ''}
                {tokens}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ServerPanel({ server, listing }: { readonly server: ServerView; readonly listing: ListingView | null }) {
  const { name, info, label, capabilities, requestedVersion, counts, tokens, protocolVersion } = server;
  const path = `servers/${encodeURIComponent(name)}`;
  const waitingRequests = openRequests.value.filter(request => request.server === name && request.call === null);
  const reconnect = (body: ReconnectRequest = {}) => void callApi('POST', `${path}/reconnect`, body);
  return (
    <div class="pane server-panel">
      <h1>
        <Text value={info ? (info.title ?? info.name) : name} /> {info && <span class="dim">{info.version}</span>}
      </h1>
      <p class="mono dim">
        <Text value={label} />
      </p>
      <div class="actions">
        <ServerStateView server={server} />
        <label>
          version{' '}
          <select
            value={requestedVersion ?? ''}
            onChange={event => reconnect({ version: event.currentTarget.value || null })}
          >
            <option value="">newest of both</option>
            {hello.value?.protocolVersions.map(version => (
              <option key={version} value={version}>
                {version}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={() => reconnect()}>
          Reconnect
        </button>
        <button
          type="button"
          onClick={() => {
            navigate('/');
            void callApi('DELETE', path);
          }}
        >
          Remove
        </button>
      </div>
      <WhyNot server={server} />
      {waitingRequests.map(request => (
        <InputForm key={request.id} request={request} />
      ))}
      {counts && (
        <dl>
          <dt>protocol version</dt>
          <dd class="mono">{protocolVersion}</dd>
          <dt>capabilities</dt>
          <dd class="mono">{capabilities.join(', ') || 'none'}</dd>
          <dt>offers</dt>
          <dd>
            {counts.tools} tools (about {tokens.toLocaleString('en')} tokens), {counts.resources} resources,{' '}
            {counts.prompts} prompts
          </dd>
          {listing?.instructions && (
            <>
              <dt>instructions</dt>
              <dd class="prose">
                <Text value={listing.instructions} />
              </dd>
            </>
          )}
        </dl>
      )}
      <ServerDetails server={server} />
      <p class="dim">
        <a href={`/wire?server=${encodeURIComponent(name)}`}>Messages of this server</a>
      </p>
    </div>
  );
}
