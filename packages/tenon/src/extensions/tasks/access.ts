import { isSameOwner } from '../../model/owner.js';
import { hasScopes, insufficientScope } from '../../model/scopes.js';
import type { Caller } from '../../server/caller.js';
import type { House } from '../../server/extension.js';
import type { TaskRecord } from './record.js';

/** Decides who may see, answer and end a task: its owner, with a token that has the scopes of the task's tool. */
export class TaskAccess {
  readonly #house: House;

  constructor(house: House) {
    this.#house = house;
  }

  /** Tells the owner of a task from all other callers, for whom it does not exist. */
  isOwner({ caller, params }: TaskRecord, by: Caller): boolean {
    return isSameOwner(caller.auth, by.auth) && this.#house.toolAccess(params.name as string, by).visible;
  }

  /** Checks the owner and the scopes. */
  isAllowed(record: TaskRecord, by: Caller): boolean {
    return this.isOwner(record, by) && hasScopes(by.auth, this.#scopes(record, by));
  }

  /** Throws 403 with the scopes to ask for when the token of the owner lacks one. */
  checkScopes(records: readonly TaskRecord[], by: Caller): void {
    const needed = records.map(record => this.#scopes(record, by));
    if (needed.every(scopes => hasScopes(by.auth, scopes))) return;
    throw insufficientScope([...new Set(needed.flat())]);
  }

  /** A replica may not have the tool, so the scopes with which the task was made count as well. */
  #scopes({ params, scopes = [] }: TaskRecord, by: Caller): readonly string[] {
    return [...new Set([...scopes, ...this.#house.toolAccess(params.name as string, by).scopes])];
  }
}
