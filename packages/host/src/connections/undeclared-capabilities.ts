import { type AssumableCapability, assumableCapabilities } from 'tenon';
import { NOTIFIABLE_LISTS } from './notifiable-lists.js';
import type { UpstreamConnection } from './upstream-connection.js';

/** Tells if a connected server declares neither tools, prompts nor resources. */
export function declaresNothing({ serverInfo }: Pick<UpstreamConnection, 'serverInfo'>): boolean {
  return serverInfo !== undefined && NOTIFIABLE_LISTS.every(name => serverInfo.capabilities[name] === undefined);
}

/** Tells if a connected server does not declare a capability, so that the host asks it for nothing of that kind. */
export function lacksCapability(
  { serverInfo }: Pick<UpstreamConnection, 'serverInfo'>,
  capability: (typeof NOTIFIABLE_LISTS)[number],
): boolean {
  return serverInfo !== undefined && serverInfo.capabilities[capability] === undefined;
}

/** Tells the operator how the host uses a capability that a server does not declare. Empty for any other capability. */
export function adviseAssuming(capability: unknown, subject = 'it'): string {
  const known: AssumableCapability | undefined = assumableCapabilities.find(name => name === capability);
  if (known === undefined) return '';
  const what = NOUNS[known] ?? known;
  return `If ${subject} has ${what}, set "assumeCapabilities": ["${known}"] in its configuration`;
}

const NOUNS: { readonly [name in AssumableCapability]?: string } = {
  'resources.subscribe': 'subscriptions to resources',
  logging: 'log messages',
};
