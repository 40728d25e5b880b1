import type { SubscriptionFilter } from './params-and-results.js';

/** The lists whose changes a server reports. */
export const LISTS = ['tools', 'prompts', 'resources'] as const;

/** A list whose changes a server reports. */
export type ListName = (typeof LISTS)[number];

/** Members of the filter of `subscriptions/listen`, by their lists. */
export const LIST_FLAGS = {
  tools: 'toolsListChanged',
  prompts: 'promptsListChanged',
  resources: 'resourcesListChanged',
} as const satisfies { readonly [List in ListName]: keyof SubscriptionFilter };
