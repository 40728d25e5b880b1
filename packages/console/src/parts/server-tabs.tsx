import type { ServerView } from '../api.js';
import { calls, subscriptions } from '../console-state.js';
import { toServerPath } from '../route.js';
import { ServerStateView } from './server-state.js';
import { Text } from './text.js';

/** Parts of a server that have views of their own, beside its tools. */
export const FEATURE_VIEWS = ['resources', 'prompts', 'tasks', 'subscriptions', 'skills', 'apps'] as const;
export type FeatureName = (typeof FEATURE_VIEWS)[number];

/** Capabilities with which a server offers a part. A part without an entry is there for all servers. */
const CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  resources: ['resources'],
  prompts: ['prompts'],
  tasks: ['tasks', 'extensions'],
  skills: ['io.modelcontextprotocol/skills'],
  apps: [],
};

export const toFeaturePath = (server: string, feature: string): string => `${toServerPath(server)}/${feature}`;

/** Links to the server itself and to the parts that it offers. */
export function ServerTabs({ server, current }: { readonly server: ServerView; readonly current: string }) {
  const { name, counts } = server;
  const capabilities = [...server.capabilities, ...server.extensions];
  const own = [...calls.value.values()].filter(call => call.server === name && call.task).length;
  const active = [...subscriptions.value.values()].filter(each => each.server === name && each.isActive).length;
  const numbers: Readonly<Record<string, number | undefined>> = { ...counts, tasks: own, subscriptions: active };
  // A server that is not connected yet has declared nothing.
  const isOffered = (feature: string) =>
    (capabilities.length === 0 && feature !== 'skills' && feature !== 'apps') ||
    feature === current ||
    Boolean(numbers[feature]) ||
    (CAPABILITIES[feature]?.some(each => capabilities.includes(each)) ?? true);
  return (
    <>
      <a href={toServerPath(name)} class="server-link">
        <ServerStateView server={server} /> <Text value={name} />
      </a>
      <div class="server-tabs">
        {['tools', ...FEATURE_VIEWS].filter(isOffered).map(feature => (
          <a key={feature} href={toFeaturePath(name, feature)} aria-current={feature === current ? 'page' : undefined}>
            {feature} {numbers[feature] ? <span class="badge">{numbers[feature]}</span> : null}
          </a>
        ))}
        {server.transport === 'http' && (
          <a href={toFeaturePath(name, 'auth')} aria-current={current === 'auth' ? 'page' : undefined}>
            sign-in
          </a>
        )}
      </div>
    </>
  );
}
