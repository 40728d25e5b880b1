import { getAppUri } from '@tenon/apps/host';
import { encodePathPart } from '@tenon/base';
import type { ListingView, ServerView, ToolView } from '../api.js';
import { canChange, listCalls } from '../console-state.js';
import { FailedLists, hasSent } from '../parts/failed-lists.js';
import { FeatureList } from '../parts/feature-list.js';
import { createLazyView } from '../parts/lazy-view.js';
import { toFeaturePath } from '../parts/server-tabs.js';
import { readNumber, route } from '../route.js';

const AppPanel = createLazyView(async () => (await import('../apps/app-panel.js')).AppPanel);
const LISTS = ['tools'] as const;

interface AppsPageProps {
  readonly server: ServerView;
  readonly listing: ListingView | null;
  /** Name of the chosen tool. */
  readonly tool: string | undefined;
}

/** Tools with an app on the left; the app of the chosen one on the right. */
export function AppsPage({ server, listing, tool }: AppsPageProps) {
  const { name } = server;
  const path = toFeaturePath(name, 'apps');
  const tools = (listing?.tools ?? []).filter(each => getAppUri(each) !== undefined);
  const items = tools.map(each => ({
    name: each.name,
    title: getAppUri(each) ?? '',
    note: describeCalls(name, each),
    href: `${path}/${encodePathPart(each.name)}`,
  }));
  const chosen = tools.find(each => each.name === tool);
  const call = readNumber(route.value.query.get('call'));
  return (
    <main class={`view split ${chosen ? 'at-detail' : 'at-list'}`}>
      <FeatureList server={server} feature="apps" items={items} chosen={tool} />
      {chosen && canChange.value ? (
        <AppPanel key={`${chosen.name} ${call}`} server={name} tool={chosen} call={call} />
      ) : (
        <div class="empty">
          <h1 class="for-readers">Apps</h1>
          <FailedLists listing={listing} of={LISTS} />
          {!canChange.value ? (
            <p>Apps are shown by the page of an operator only.</p>
          ) : items.length > 0 ? (
            <p>Choose a tool. Its app shows the last call of the tool.</p>
          ) : (
            hasSent(listing, LISTS) && <p>No tool of the server names an app in its _meta.ui.resourceUri.</p>
          )}
        </div>
      )}
    </main>
  );
}

const describeCalls = (server: string, tool: ToolView): string =>
  String(listCalls(server, 'tools/call', tool.name).length || '');
