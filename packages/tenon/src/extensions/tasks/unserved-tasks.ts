import { dialectOf } from '../../dialects/index.js';
import { INVALID_PARAMS } from '../../jsonrpc/codes.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { House } from '../../server/extension.js';
import type { Settings } from './options.js';
import { ended, type TaskRecord } from './record.js';
import type { Shelf } from './shelf.js';
import { createIdleTurn } from './task-turn.js';

/** Finds the tasks that this process cannot go on with: they are left to other processes. */
export class UnservedTasks {
  readonly #house: House;
  readonly #shelf: Shelf;
  readonly #settings: Settings;
  /** Since when this process has known them. */
  readonly #since = new Map<string, number>();

  constructor(house: House, shelf: Shelf, settings: Settings) {
    this.#house = house;
    this.#shelf = shelf;
    this.#settings = settings;
  }

  get ids(): string[] {
    return [...this.#since.keys()];
  }

  /** Another process works on it by now, or it has ended. */
  forget(id: string): void {
    this.#since.delete(id);
  }

  /**
   * Tells whether this process has the protocol version, the tool and its version for a task. One that is left for too long
   * for want of the tool is ended: `onFailed` is told.
   */
  async canServe(record: TaskRecord, onFailed: (record: TaskRecord) => void): Promise<boolean> {
    const { id, revision, params, version } = record;
    const dialect = dialectOf(revision);
    const missing = dialect && (await this.#house.findObstacle(params, createIdleTurn(record, dialect), version));
    if (dialect && missing === undefined) return true;
    const now = this.#house.clock.now();
    const since = this.#since.get(id) ?? now;
    if (!this.#since.has(id))
      this.#house.problem(missing === undefined ? unknownRevision(revision) : unserved(missing));
    this.#since.set(id, since);
    const isLate = !this.#house.stores.durable || now - since >= this.#settings.handoverTimeout;
    if (missing === undefined || !isLate) return false;
    const end = {
      status: 'failed',
      error: { code: INVALID_PARAMS, message: missing },
      statusMessage: missing,
    } as const;
    const failed = await this.#shelf.endIdle(id, found => ended(found, now, end));
    if (failed) onFailed(failed);
    return false;
  }
}

export function unknownRevision(revision: string): TenonError {
  return new TenonError('task/revision', `no one here speaks ${revision}`);
}

function unserved(missing: string): TenonError {
  return new TenonError('task/unserved', `a task is left to other processes: ${missing}`, {
    next: 'start a process that has the tool, or wait for the end of `handoverTimeout`',
  });
}
