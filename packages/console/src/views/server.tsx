import { useEffect, useState } from 'preact/hooks';
import type { ListingView, ReconnectRequest, ServerView, ToolView } from '../api.js';
import { hello, openRequests, servers } from '../console-state.js';
import { formatCount } from '../format.js';
import { FailedLists } from '../parts/failed-lists.js';
import { type FeatureItem, FeatureList } from '../parts/feature-list.js';
import { ForOperator } from '../parts/for-operator.js';
import { LazyInputForm } from '../parts/lazy-input-form.js';
import { createLazyView } from '../parts/lazy-view.js';
import { ServerStateView } from '../parts/server-state.js';
import { Text } from '../parts/text.js';
import { callApi, toServerApi } from '../request.js';
import { navigate, toServerPath } from '../route.js';
import { WhyNot } from './board.js';
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
      <FeatureList server={server} feature="tools" items={toItems(name, listing?.tools ?? [])} chosen={tool} />
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
    callApi<ListingView>('GET', toServerApi(name)).then(
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

/** The tools as entries of a list, each with its tokens and its effect. */
const toItems = (server: string, tools: readonly ToolView[]): FeatureItem[] =>
  tools.map(({ name, title = '', annotations = {}, tokens }) => {
    const effect =
      annotations.readOnlyHint === true ? 'reads ' : annotations.destructiveHint === true ? 'destroys ' : '';
    return { name, title, note: `${effect}${tokens}`, href: toServerPath(server, name) };
  });

function ServerPanel({ server, listing }: { readonly server: ServerView; readonly listing: ListingView | null }) {
  const { name, info, label, capabilities, requestedVersion, counts, tokens, protocolVersion } = server;
  const waitingRequests = openRequests.value.filter(request => request.server === name && request.call === null);
  const reconnect = (body: ReconnectRequest = {}) => void callApi('POST', toServerApi(name, 'reconnect'), body);
  return (
    <div class="pane server-panel">
      <h1>
        <Text value={info ? (info.title ?? info.name) : name} /> {info && <span class="dim">{info.version}</span>}
      </h1>
      {label !== name && (
        <p class="mono dim">
          <Text value={label} />
        </p>
      )}
      <div class="actions">
        <ServerStateView server={server} />
        <ForOperator>
          <label>
            version{' '}
            <select
              value={requestedVersion ?? ''}
              onChange={event => reconnect({ version: event.currentTarget.value || null })}
            >
              <option value="">newest version</option>
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
              void callApi('DELETE', toServerApi(name));
            }}
          >
            Remove
          </button>
        </ForOperator>
      </div>
      <WhyNot server={server} />
      <FailedLists listing={listing} />
      {waitingRequests.map(request => (
        <LazyInputForm key={request.id} request={request} />
      ))}
      {counts && (
        <dl>
          <dt>protocol version</dt>
          <dd class="mono">{protocolVersion}</dd>
          <dt>capabilities</dt>
          <dd class="mono">{capabilities.join(', ') || 'none'}</dd>
          <dt>offers</dt>
          <dd>
            {formatCount(counts.tools, 'tool')} (about {formatCount(tokens, 'token')}),{' '}
            {formatCount(counts.resources, 'resource')}, {formatCount(counts.prompts, 'prompt')}
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
        <a href={`/wire?${new URLSearchParams({ server: name })}`}>Messages of this server</a>
      </p>
    </div>
  );
}
