import { expect } from 'vitest';
import { expectError, type Impossible, type Where } from './impossible-row.js';

const beforeForms: Where = { either: { before: '2025-06-18' } };
const beforeUrls: Where = { either: { before: '2025-11-25' } };
const noForms = 'servers elicit since 2025-06-18: the handler that asks is refused, and says why';
const noUrls = 'elicitation has a URL mode since 2025-11-25: the handler that asks is refused, and says why';

/** What a side cannot be asked, or cannot ask. */
export const impossibleAsking: readonly Impossible[] = [
  {
    feature: 'roots: their metadata',
    where: beforeForms,
    reason: 'roots have _meta since 2025-06-18',
    instead: 'unsaid',
  },
  {
    feature: 'roots: that they have changed',
    where: { client: { from: '2026-07-28' } },
    reason: 'since 2026-07-28 no notice says that roots have changed: they are asked for whenever they are needed',
    instead: 'untold',
  },
  {
    feature: 'roots: that they have changed',
    where: { server: { from: '2026-07-28' } },
    reason: 'since 2026-07-28 no notice says that roots have changed: the server asks whenever it needs them',
    instead: 'untold',
  },
  {
    feature: 'sampling: messages of several blocks',
    where: beforeUrls,
    reason: 'a message of a sampling has several blocks since 2025-11-25; before, each is a message of the same role',
    instead: ['One', 'Two'].map(text => ({ role: 'assistant', content: { type: 'text', text } })),
  },
  {
    feature: 'sampling: with tools, and what they gave',
    where: beforeUrls,
    reason: 'sampling has tools since 2025-11-25: the handler that asks is refused, and says why',
    instead: expectError(/sampling/i),
  },
  ...['a form, and its answer', 'an answer that is none: decline', 'an answer that is none: cancel'].map(
    (name): Impossible => ({
      feature: `elicitation: ${name}`,
      where: beforeForms,
      reason: noForms,
      instead: expectError(/elicit/i),
    }),
  ),
  {
    feature: 'elicitation: defaults, titled choices and several choices',
    where: beforeForms,
    reason: noForms,
    instead: expectError(/elicit/i),
  },
  {
    feature: 'elicitation: defaults, titled choices and several choices',
    where: beforeUrls,
    reason: 'they are of 2025-11-25; before, titles are a list of their own and several choices a line of text',
    instead: [
      expect.not.objectContaining({ default: expect.anything() }),
      expect.objectContaining({ enum: ['s', 'l'], enumNames: ['Small', 'Large'] }),
      expect.objectContaining({ type: 'string', description: expect.stringContaining('mo, tu, we') }),
    ],
  },
  {
    feature: 'elicitation: by URL',
    where: beforeUrls,
    reason: noUrls,
    instead: expectError(/elicit|url/i),
  },
  {
    feature: 'elicitation: by URL, and that the visit is done',
    where: beforeUrls,
    reason: noUrls,
    instead: expectError(/elicit|url/i),
  },
  ...(['client', 'server'] as const).map(
    (who): Impossible => ({
      feature: 'elicitation: by URL, and that the visit is done',
      where: { [who]: { from: '2026-07-28' } },
      reason: 'since 2026-07-28 elicitations have no id, and no notice says that one is done',
      instead: ['accept', true, 0],
    }),
  ),
  {
    feature: 'errors: a URL that has to be visited first',
    where: beforeUrls,
    reason: noUrls,
    instead: expectError(/elicit|url/i),
  },
  ...['several at once', 'one after the other, each once'].map(
    (name): Impossible => ({
      feature: `questions: ${name}`,
      where: beforeForms,
      reason: noForms,
      instead: [expectError(/elicit/i), 0],
    }),
  ),
  ...['that a handler returns, with a state of its own', 'in prompts', 'in reads of resources'].map(
    (name): Impossible => ({
      feature: `questions: ${name}`,
      where: beforeForms,
      reason: noForms,
      instead: expectError(/elicit/i),
    }),
  ),
];
