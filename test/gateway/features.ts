import type { Feature } from './feature.js';
import { asking } from './features/asking.js';
import { errors } from './features/errors.js';
import { lists } from './features/lists.js';
import { metadata } from './features/metadata.js';
import { notices } from './features/notices.js';
import { results } from './features/results.js';
import { tasks } from './features/tasks.js';

/** All that must cross a gateway, each with how it is tried and what must be seen. */
export const features: readonly Feature[] = [
  ...results,
  ...lists,
  ...errors,
  ...asking,
  ...metadata,
  ...notices,
  ...tasks,
];

/** What a feature is called by: in tests, and where it is said that it is impossible. */
export const formatFeature = ({ crosses, name }: Feature): string => `${crosses}: ${name}`;
