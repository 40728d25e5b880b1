import type { Stores } from 'tenon';
import type { JsonObject } from '../../packages/base/src/json/json-object.js';
import type { JournalEntry } from '../../packages/tenon/src/execution/journal.js';
import type { TaskRecord } from '../../packages/tenon/src/extensions/tasks/task-record.js';
import { canBecome, isTerminal, type TaskStatus } from '../../packages/tenon/src/protocol/tasks.js';

type StoredRecord = TaskRecord & { readonly lease?: { readonly fence: string; readonly until: number } };

interface Appended {
  readonly writer: string;
  readonly entries?: readonly JournalEntry[];
}

const toPlace = (id: string, entry: JournalEntry): string => `${id} ${'step' in entry ? entry.step : entry.ask}`;

/** Sees every write of a task that is accepted, and says what was wrong with it. */
export interface StoreRecorder {
  readonly stores: Stores;
  readonly faults: string[];
  /** The steps that are written down, by `task step`. */
  readonly recorded: ReadonlySet<string>;
  readonly statuses: ReadonlyMap<string, TaskStatus>;
  /** How often a task came to its end. */
  readonly ends: ReadonlyMap<string, number>;
}

export function recordStores(stores: Stores): StoreRecorder {
  const last = new Map<string, StoredRecord>();
  const recorded = new Set<string>();
  const ends = new Map<string, number>();
  const requests = new Map<string, string>();
  const lost = new Set<string>();
  const faults: string[] = [];
  const appended = new Set<string>();
  const lastWriters = new Map<string, string>();
  const formerWriters = new Set<string>();
  const statuses = new Map<string, TaskStatus>();

  const see = (next: StoredRecord) => {
    const { id } = next;
    const before = last.get(id);
    last.set(id, next);
    statuses.set(id, next.status);
    if (before === undefined) return void (next.status === 'working' || faults.push(`${id} begins as ${next.status}`));
    if (before.status !== next.status && !canBecome(before.status, next.status)) {
      faults.push(`${id} goes from ${before.status} to ${next.status}`);
    }
    if (isTerminal(before.status)) {
      const { lease: _, ...was } = before;
      const { lease: __, ...is } = next;
      if (JSON.stringify(was) !== JSON.stringify(is)) faults.push(`${id} changes after its end`);
      return;
    }
    if (isTerminal(next.status)) return void ends.set(id, (ends.get(id) ?? 0) + 1);
    if (next.updated < before.updated) faults.push(`${id} was updated before`);
    for (const entry of next.journal) recorded.add(toPlace(id, entry));
    const has = new Set(next.journal.map(entry => toPlace(id, entry)));
    for (const entry of before.journal) {
      const place = toPlace(id, entry);
      if (!has.has(place) && !appended.has(place)) faults.push(`${id} forgets ${JSON.stringify(entry)}`);
    }
    for (const [key, question] of Object.entries(next.questions)) {
      const place = `${id} ${key}`;
      const words = JSON.stringify(question);
      if (lost.has(place) || (requests.get(place) ?? words) !== words) faults.push(`${place} is used again`);
      requests.set(place, words);
    }
    for (const key of Object.keys(before.questions)) if (!(key in next.questions)) lost.add(`${id} ${key}`);
    const isAsking = Object.keys(next.questions).length > 0;
    if (isAsking !== (next.status === 'input_required')) faults.push(`${id} is ${next.status}, wrongly`);
  };

  const seeAppended = (id: string, { writer, entries = [] }: Appended) => {
    const before = lastWriters.get(id) ?? writer;
    if (before !== writer) formerWriters.add(before);
    if (formerWriters.has(writer)) faults.push(`${id} takes what a former process appends`);
    lastWriters.set(id, writer);
    for (const entry of entries) {
      recorded.add(toPlace(id, entry));
      appended.add(toPlace(id, entry));
    }
  };

  const { values } = stores;
  return {
    ...{ faults, recorded, statuses, ends },
    stores: {
      ...stores,
      values: {
        ...values,
        async put(key, value, options) {
          // What is seen must be in the order in which it is written.
          const writing = values.put(key, value as JsonObject, options);
          const written = await writing;
          if (written !== undefined && key.startsWith('task/')) see(value as unknown as StoredRecord);
          const [folder, id = ''] = key.split('/');
          if (written !== undefined && folder === 'task-log') seeAppended(id, value as unknown as Appended);
          return written;
        },
      },
    },
  };
}
