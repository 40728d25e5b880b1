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
  const gathered = new Map<ListName, Visible[]>();
  return (list, items) => {
    const waiting = gathered.get(list);
    if (waiting) {
      waiting.push(...items);
      return;
    }
    gathered.set(list, [...items]);
    const tell = () => {
      const all = gathered.get(list) ?? [];
      gathered.delete(list);
      announce(list, all);
    };
    clock.after(GATHER, tell, { hold: true });
  };
}
