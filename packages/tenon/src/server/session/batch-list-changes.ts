import type { Clock } from '@tenon/base';
import type { ListName } from '../../protocol/lists.js';
import type { HasVisibility } from '../registry.js';

/** Time for which changes of one list are collected into one notification, in milliseconds. */
const BATCH_DELAY = 20;

/** Collects the changes of each list, so that many changes at once cause one notification. */
export function batchListChanges(
  clock: Clock,
  announce: (list: ListName, items: readonly HasVisibility[]) => void,
): (list: ListName, items: readonly HasVisibility[]) => void {
  const batches = new Map<ListName, { readonly items: HasVisibility[]; readonly due: number }>();
  return (list, items) => {
    const batch = batches.get(list);
    const all = batch?.items ?? [];
    all.push(...items);
    // On Workers a timer ends together with the request that set it. An overdue timer is therefore set again.
    if (batch && clock.elapsed() <= batch.due) return;
    batches.set(list, { items: all, due: clock.elapsed() + BATCH_DELAY });
    const announceBatch = () => {
      if (batches.get(list)?.items !== all) return;
      batches.delete(list);
      announce(list, all);
    };
    clock.after(BATCH_DELAY, announceBatch, { hold: true });
  };
}
