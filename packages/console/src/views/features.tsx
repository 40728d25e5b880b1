import { servers } from '../console-state.js';
import { FEATURE_VIEWS, type FeatureName } from '../parts/server-tabs.js';
import { Text } from '../parts/text.js';
import { AppsPage } from './apps.js';
import { PromptsView } from './prompts.js';
import { ResourcesView } from './resources.js';
import { useListing } from './server.js';
import { SkillsPage } from './skills.js';
import { SubscriptionsView } from './subscriptions.js';
import { TasksView } from './tasks.js';

interface FeaturePageProps {
  readonly name: string;
  readonly feature: string;
  readonly item: string | undefined;
}

/** Resources, prompts, tasks, skills, apps or subscriptions of a server. */
export function FeaturePage({ name, feature, item }: FeaturePageProps) {
  const server = servers.value.get(name);
  const listing = useListing(server);
  const known = FEATURE_VIEWS.find((each): each is FeatureName => each === feature);
  if (!server || !known)
    return (
      <main class="view">
        <p class="empty">
          No {server ? 'such view' : 'server'} “<Text value={server ? feature : name} />
          ”. <a href="/">See all servers</a>
        </p>
      </main>
    );
  switch (known) {
    case 'resources':
      return <ResourcesView server={server} listing={listing} />;
    case 'prompts':
      return <PromptsView server={server} listing={listing} prompt={item} />;
    case 'tasks':
      return <TasksView server={server} />;
    case 'skills':
      return <SkillsPage server={server} uri={item} />;
    case 'apps':
      return <AppsPage server={server} listing={listing} tool={item} />;
    case 'subscriptions':
      return <SubscriptionsView server={server} listing={listing} />;
  }
}
