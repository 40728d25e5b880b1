import { expect } from 'vitest';
import { expectError, type Impossible, type Where } from './impossible-row.js';

const clientBefore: Where = { client: { before: '2025-11-25' } };
const serverBefore: Where = { server: { before: '2025-11-25' } };
/** The client says which calls become tasks, and the server says of none that it may. */
const unannounced: Where = { client: { from: '2025-11-25', before: '2026-07-28' }, server: { from: '2026-07-28' } };

/** The server says which calls may become tasks, and nobody says which shall. */
const undecided: Where = { client: { from: '2026-07-28' }, server: { from: '2025-11-25', before: '2026-07-28' } };

const noneForClient = 'clients have tasks since 2025-11-25: a call is answered when what it began is done';
const noneOfServer =
  'servers have tasks since 2025-11-25: a call is answered when it is done, unless who stands between keeps a task of its own';
const notKnown =
  'a client of 2025-11-25 asks for tasks of the tools that say they may be some, which those of 2026-07-28 do not: ' +
  'a call is answered when it is done, unless who stands between says so of its own accord';
const notAsked =
  'a client of 2026-07-28 does not say whether it wants a task, and a server of 2025-11-25 has to be told: ' +
  'who stands between decides';

const either = (...values: unknown[]): unknown => expect.toBeOneOf(values);
const taskOrAnswer = either('task', 'answer');

/** The rows of a feature whose calls are just answered where there are no tasks. */
function answered(feature: string, value: unknown): Impossible[] {
  return [
    { feature, where: clientBefore, reason: noneForClient, instead: ['answer', value] },
    { feature, where: serverBefore, reason: noneOfServer, instead: [taskOrAnswer, value] },
    { feature, where: unannounced, reason: notKnown, instead: [taskOrAnswer, value] },
    { feature, where: undecided, reason: notAsked, instead: [taskOrAnswer, value] },
  ];
}

/** Rows for what is told of a task: nothing where there is none. */
function untold(feature: string, nothing: unknown, something: unknown): Impossible[] {
  return [
    { feature, where: clientBefore, reason: noneForClient, instead: nothing },
    { feature, where: serverBefore, reason: noneOfServer, instead: either(nothing, something) },
    { feature, where: unannounced, reason: notKnown, instead: either(nothing, something) },
    { feature, where: undecided, reason: notAsked, instead: either(nothing, something) },
  ];
}

const asTheClientAsks = 'tasks: how long they are kept, as the client asks';

export const impossibleTasks: readonly Impossible[] = [
  ...answered('tasks: done at once', { n: 1 }),
  ...answered('tasks: that ask for roots', '1 root'),
  {
    feature: 'tasks: that ask the user',
    where: { either: { before: '2025-06-18' } },
    reason: 'servers elicit since 2025-06-18: the handler that asks is refused, and says why',
    instead: either(expectError(/elicit/i), ['task', expectError(/elicit/i)]),
  },
  ...answered('tasks: that ask the user', 'accept'),
  { feature: 'tasks: given up', where: clientBefore, reason: noneForClient, instead: ['answer', 'call/aborted'] },
  ...[
    { where: serverBefore, reason: noneOfServer },
    { where: unannounced, reason: notKnown },
    { where: undecided, reason: notAsked },
  ].map(
    (row): Impossible => ({
      feature: 'tasks: given up',
      ...row,
      instead: either(['answer', 'call/aborted'], ['task', 'task/cancelled']),
    }),
  ),
  {
    feature: 'tasks: a call of what must be a task, waited for',
    where: serverBefore,
    reason: 'servers have tasks since 2025-11-25: what runs as a task only does not run, and the error says so',
    instead: expectError(/task/i),
  },
  ...untold('tasks: how long they are kept, as the tool says', 'unsaid', expect.any(Number)),
  {
    feature: asTheClientAsks,
    where: { client: { from: '2026-07-28' } },
    reason:
      'since 2026-07-28 it is the server that says how long it keeps a task: the client refuses to ask, and says why',
    instead: expect.objectContaining({
      by: 'task/ttl',
      refused: expect.stringContaining('cannot choose the lifetime'),
    }),
  },
  ...untold(asTheClientAsks, 'unsaid', expect.any(Number)).filter(({ where }) => where !== undecided),
  ...untold('tasks: come back to by their id', 'answered', { n: 1 }),
  {
    feature: 'tasks: listed',
    where: { client: { from: '2026-07-28' } },
    reason: 'tasks are listed on 2025-11-25 only',
    instead: expectError(/./),
  },
  {
    feature: 'tasks: listed',
    where: clientBefore,
    reason: noneForClient,
    instead: expectError(/./),
  },
  {
    feature: 'tasks: listed',
    where: serverBefore,
    reason: noneOfServer,
    instead: either(expectError(/./), true),
  },
  {
    feature: 'tasks: listed',
    where: { server: { from: '2026-07-28' } },
    reason: 'tasks are listed on 2025-11-25 only; who stands between may list those that it has seen',
    instead: either(expectError(/./), true, false),
  },
  {
    feature: 'tasks: that there are not',
    where: { either: { before: '2025-11-25' } },
    reason: 'where there are no tasks there is no method that could ask for one, and the error says so',
    instead: expectError(/./),
  },
];
