import type { Dialect } from '../../dialects/dialect.js';
import { dialects, newest } from '../../dialects/index.js';
import type { Subject } from './subject.js';

/** One way to serve a handler, on one revision. */
export interface Road {
  readonly name: string;
  readonly dialect: Dialect;
  /** Whether the call is, or becomes, a task. */
  readonly task?: boolean;
  /** At which of its deeds the handler is when its call becomes a task. */
  readonly promotion?: { readonly at: number };
  /** Whether no handler waits in memory. */
  readonly forgets?: boolean;
  /** Whether each request reaches another process than the one before. */
  readonly turns?: boolean;
  /** Whether the process dies after each write of what has to be remembered. */
  readonly dies?: boolean;
}

/** All of them, the one that the others are held against first: nothing is entered again there, and all can be asked. */
export function roadsOf({ task }: Subject): Road[] {
  const first = newest('handshake');
  const all = dialects.flatMap(dialect => [...plain(dialect), ...(task && dialect.tasks ? asTask(dialect) : [])]);
  return [{ name: 'by-request', dialect: first }, ...all.filter(road => road.dialect !== first || road.task)];
}

function plain(dialect: Dialect): Road[] {
  if (dialect.asking === 'by-request') return [{ name: 'by-request', dialect }];
  return [
    { name: 'held', dialect },
    { name: 'replayed', dialect, forgets: true },
    { name: 'replayed by another replica', dialect, turns: true },
    { name: 'replayed, crashed at every write', dialect, forgets: true, dies: true },
  ];
}

function asTask(dialect: Dialect): Road[] {
  const plain: Road = { name: 'task', dialect, task: true };
  const promoted: Road = { ...plain, name: 'promoted', promotion: { at: 0 } };
  const all = dialect.tasks === 'by-extension' ? [plain, promoted] : [plain];
  return [...all, ...all.map(road => ({ ...road, name: `${road.name}, crashed at every write`, dies: true }))];
}
