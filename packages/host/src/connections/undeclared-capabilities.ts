import type { UpstreamConnection } from './upstream-connection.js';

const OFFERED = ['tools', 'prompts', 'resources'] as const;

/** Tells if a connected server declares neither tools, prompts nor resources. */
export function declaresNothing({ serverInfo }: Pick<UpstreamConnection, 'serverInfo'>): boolean {
  return serverInfo !== undefined && OFFERED.every(name => serverInfo.capabilities[name] === undefined);
}

/** Tells if a connected server does not declare a capability, so that the host asks it for nothing of that kind. */
export function lacksCapability(
  { serverInfo }: Pick<UpstreamConnection, 'serverInfo'>,
  capability: (typeof OFFERED)[number],
): boolean {
  return serverInfo !== undefined && serverInfo.capabilities[capability] === undefined;
}
