import { expect } from 'vitest';
import type { Impossible, Where } from './impossible-row.js';

const beforeAudio: Where = { either: { before: '2025-03-26' } };
const beforeLinks: Where = { either: { before: '2025-06-18' } };
const beforeIcons: Where = { either: { before: '2025-11-25' } };
const why = /capability|support/i;
const mild = [{ type: 'text', text: 'It is mild.' }];
const unstructured = 'results have structured content since 2025-06-18; before, their text is all that there has to be';
const spoken = '[audio, audio/wav, 5 bytes: not shown]';

/** What results, lists, notices and errors cannot say. */
export const impossibleContent: readonly Impossible[] = [
  {
    feature: 'results: audio',
    where: beforeAudio,
    reason: 'audio is a kind of content since 2025-03-26; a text says what was there',
    instead: expect.objectContaining({ type: 'text', text: spoken }),
  },
  {
    feature: 'sampling: audio in its messages',
    where: beforeAudio,
    reason: 'audio is a kind of content since 2025-03-26; a text says what was there',
    instead: { type: 'text', text: spoken },
  },
  {
    feature: 'results: links to resources',
    where: beforeLinks,
    reason: 'results link to resources since 2025-06-18; a text names the resource and its URI',
    instead: expect.objectContaining({ type: 'text', text: 'C: note://c (third)' }),
  },
  {
    feature: 'results: icons of links',
    where: beforeIcons,
    reason: 'icons are said since 2025-11-25',
    instead: expect.not.objectContaining({ icons: expect.anything() }),
  },
  {
    feature: 'results: when content was last modified',
    where: beforeLinks,
    reason: 'annotations have a last modified time since 2025-06-18',
    instead: 'unsaid',
  },
  {
    feature: 'results: metadata of content',
    where: beforeLinks,
    reason: 'content has _meta since 2025-06-18',
    instead: 'unsaid',
  },
  {
    feature: 'results: structured content of any kind',
    where: { client: { from: '2025-06-18', before: '2026-07-28' }, server: { before: '2025-06-18' } },
    reason:
      'before 2026-07-28 structured content is an object; which tools give another value is said by their output ' +
      'schemas, which servers before 2025-06-18 have not. Their text is the value',
    instead: expect.any(Array),
  },
  {
    feature: 'results: structured content of any kind',
    where: { client: { before: '2025-06-18' }, server: { before: '2025-06-18' } },
    reason: unstructured,
    instead: expect.toBeOneOf([
      [[2, 3, 5], 'tenon', null],
      [undefined, undefined, undefined],
    ]),
  },
  {
    feature: 'results: words and metadata of its own beside structured content',
    where: { client: { before: '2025-06-18' }, server: { before: '2025-06-18' } },
    reason: unstructured,
    instead: expect.toBeOneOf([
      [mild, { celsius: 12 }, 'sky'],
      [mild, undefined, 'sky'],
    ]),
  },
  {
    feature: 'metadata: of the contents of resources',
    where: beforeLinks,
    reason: 'the contents of resources have _meta since 2025-06-18',
    instead: 'unsaid',
  },
  {
    feature: 'lists: annotations of tools',
    where: beforeAudio,
    reason: 'tools have annotations since 2025-03-26',
    instead: 'unsaid',
  },
  {
    feature: 'lists: titles and metadata',
    where: beforeLinks,
    reason: 'what has a name has a title and _meta since 2025-06-18',
    instead: ['unsaid', 'unsaid', 'unsaid', 'unsaid'],
  },
  {
    feature: 'lists: output schemas',
    where: beforeLinks,
    reason: 'tools have output schemas since 2025-06-18',
    instead: ['unsaid', 'unsaid'],
  },
  {
    feature: 'lists: icons',
    where: beforeIcons,
    reason: 'icons are said since 2025-11-25',
    instead: 'unsaid',
  },
  {
    feature: 'completion: that depends on other arguments',
    where: beforeLinks,
    reason: 'a completion is told the other arguments since 2025-06-18; without them there is nothing to suggest',
    instead: [],
  },
  {
    feature: 'cache hints: how long a resource stays good, and for whom',
    where: { client: { before: '2026-07-28' } },
    reason: 'results say how long they stay good since 2026-07-28',
    instead: ['unsaid', 'unsaid'],
  },
  {
    feature: 'cache hints: how long a resource stays good, and for whom',
    where: { server: { before: '2026-07-28' } },
    reason: 'results say how long they stay good since 2026-07-28; of others it must be said that they do not',
    instead: [0, 'private'],
  },
  {
    feature: 'cache hints: none where none was given',
    where: { client: { before: '2026-07-28' } },
    reason: 'results say how long they stay good since 2026-07-28',
    instead: ['unsaid', 'unsaid'],
  },
  {
    feature: 'progress: its messages',
    where: beforeAudio,
    reason: 'progress has a message since 2025-03-26',
    instead: ['unsaid', 'unsaid'],
  },
  {
    feature: 'errors: a capability that the client lacks',
    where: { either: { before: '2026-07-28' } },
    reason: 'the code -32021 is of 2026-07-28; before, the result or another error says which capability it is',
    instead: expect.toBeOneOf([
      expect.objectContaining({ message: expect.stringMatching(why) }),
      expect.objectContaining({ refused: expect.stringMatching(why) }),
    ]),
  },
];
