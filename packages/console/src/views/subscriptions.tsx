import { useState } from 'preact/hooks';
import type { FaultPlan, ListingView, ServerView, SubscriptionView } from '../api.js';
import { subscriptions, takesCalls } from '../console-state.js';
import { formatCount, formatTime } from '../format.js';
import { FeatureList } from '../parts/feature-list.js';
import { ForOperator } from '../parts/for-operator.js';
import { Icon } from '../parts/icons.js';
import { RequestError, useRequest } from '../parts/request-error.js';
import { toFeaturePath } from '../parts/server-tabs.js';
import { Text } from '../parts/text.js';
import { callApi, formatError, toServerApi } from '../request.js';
import { route } from '../route.js';

/** Cuts the stream of the next notification, before the client gets it. */
const BREAK: FaultPlan = { kind: 'cut', on: 'notifications', repeat: false };
const LISTS = ['tools', 'prompts', 'resources'] as const;

/** Watches resources and lists, and shows their changes as they come. */
export function SubscriptionsView({
  server,
  listing,
}: {
  readonly server: ServerView;
  readonly listing: ListingView | null;
}) {
  const own = [...subscriptions.value.values()].filter(each => each.server === server.name).sort((a, b) => b.id - a.id);
  return (
    <main class="view split at-detail">
      <FeatureList server={server} feature="subscriptions" items={[]} chosen={undefined} />
      <div class="pane server-panel">
        <h1>Subscriptions</h1>
        <ForOperator>
          <SubscribeForm server={server} listing={listing} />
        </ForOperator>
        {own.length === 0 && <p class="dim">No subscriptions. Choose a resource or a list, and press Enter.</p>}
        {server.transport === 'http' && own.some(each => each.isActive) && (
          <ForOperator>
            <BreakStream server={server} />
          </ForOperator>
        )}
        {own.map(each => (
          <Subscription key={each.id} subscription={each} />
        ))}
      </div>
    </main>
  );
}

function SubscribeForm({ server, listing }: { readonly server: ServerView; readonly listing: ListingView | null }) {
  const [uri, setUri] = useState(route.value.query.get('uri') ?? '');
  const [lists, setLists] = useState<readonly string[]>([]);
  const [error, run] = useRequest();
  const subscribe = () =>
    run(async () => {
      await callApi('POST', toServerApi(server.name, 'subscribe'), {
        uris: [uri.trim()],
        ...Object.fromEntries(lists.map(list => [list, true])),
      });
    });
  return (
    <form
      class="actions"
      onSubmit={event => {
        event.preventDefault();
        void subscribe();
      }}
    >
      <input
        class="mono subscribed-uri"
        data-focus
        list="known-uris"
        aria-label="URI of a resource"
        placeholder="URI of a resource"
        value={uri}
        onInput={event => setUri(event.currentTarget.value)}
      />
      <datalist id="known-uris">
        {listing?.resources.slice(0, 200).map(each => (
          <option key={each.uri} value={each.uri} />
        ))}
      </datalist>
      {LISTS.map(list => (
        <label key={list}>
          <input
            type="checkbox"
            checked={lists.includes(list)}
            onChange={event =>
              setLists(event.currentTarget.checked ? [...lists, list] : lists.filter(each => each !== list))
            }
          />{' '}
          list of {list}
        </label>
      ))}
      <button type="submit" class="primary" disabled={!takesCalls(server) || (uri.trim() === '' && lists.length === 0)}>
        Subscribe
      </button>
      <RequestError error={error} />
    </form>
  );
}

/** Plans that the stream breaks with the next change. The client resumes it, and gets the change then. */
function BreakStream({ server }: { readonly server: ServerView }) {
  const [error, run] = useRequest();
  const isPlanned = server.fault?.kind === 'cut' && server.fault.on === 'notifications';
  const plan = (fault: FaultPlan | { readonly kind: null }) =>
    void run(async () => {
      await callApi('POST', toServerApi(server.name, 'faults'), fault);
    });
  return (
    <div class="actions">
      <button type="button" disabled={isPlanned} onClick={() => plan(BREAK)}>
        Break the stream
      </button>
      <span role="status">
        {isPlanned && (
          <>
            <span class="state waiting">The stream breaks before the next change, and is resumed.</span>{' '}
            <button type="button" onClick={() => plan({ kind: null })}>
              Remove
            </button>
          </>
        )}
      </span>
      <a href={`/wire?${new URLSearchParams({ server: server.name, is: 'notification' })}`}>Notifications</a>
      <RequestError error={error} />
    </div>
  );
}

function Subscription({ subscription }: { readonly subscription: SubscriptionView }) {
  const { id, server, uris, lists, startedAt, isActive, count, changes, error } = subscription;
  const watched = [...uris, ...lists.map(list => `list of ${list}`)].join(', ');
  const path = toFeaturePath(server, 'resources');
  return (
    <section class="task">
      <header class="call-head">
        <span class={`state ${error ? 'error' : isActive ? 'ok' : 'refused'}`}>
          <Icon name={error ? 'error' : isActive ? 'ok' : 'none'} /> {error ? 'failed' : isActive ? 'active' : 'ended'}
        </span>
        <span class="mono">
          <Text value={watched} />
        </span>
        <span class="figures">
          {formatCount(count, 'change')} since {formatTime(startedAt)}
        </span>
        {isActive && (
          <ForOperator>
            <span class="actions">
              <button type="button" onClick={() => void callApi('DELETE', `subscriptions/${id}`)}>
                Stop
              </button>
            </span>
          </ForOperator>
        )}
      </header>
      {error && (
        <p class="issue">
          <Text value={formatError(error)} />
        </p>
      )}
      <ol class="states">
        {changes.map(({ time, changed }, index) => (
          <li key={`${time} ${index}`}>
            <span class="offset">{formatTime(time)}</span>{' '}
            {uris.includes(changed) ? (
              <a class="mono" href={`${path}?${new URLSearchParams({ uri: changed })}`}>
                <Text value={changed} />
              </a>
            ) : (
              <span class="mono">
                <Text value={changed} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
