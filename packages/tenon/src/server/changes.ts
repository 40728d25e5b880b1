import type { Clock } from '../jsonrpc/clock.js';
import type { Visible } from './caller.js';
import type { ListName } from './watchers.js';

/** How long changes of one list are gathered before they are announced as one, in milliseconds. */
const GATHER = 20;

/** Gathers the changes of each list, so that a hundred of them at once are announced once. */
export function changes(
  clock: Clock,
  announce: (list: ListName, items: readonly Visible[]) => void,
): (list: ListName, items: readonly Visible[]) => void {
  const gathered = new Map<ListName, { readonly items: Visible[]; readonly due: number }>();
  return (list, items) => {
    const waiting = gathered.get(list);
    const all = waiting?.items ?? [];
    all.push(...items);
    // On Workers a timer ends with the request that set it: one that is overdue is set anew.
    if (waiting && clock.now() <= waiting.due) return;
    gathered.set(list, { items: all, due: clock.now() + GATHER });
    const tell = () => {
      if (gathered.get(list)?.items !== all) return;
      gathered.delete(list);
      announce(list, all);
    };
    clock.after(GATHER, tell, { hold: true });
  };
}
