import { isSameOwner } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import { hasScopes, insufficientScope } from '../../protocol/scopes.js';
import type { ExtensionHost } from '../../server/extension.js';
import type { TaskRecord } from './task-record.js';

/**
 * Decides which callers may read, answer and cancel a task: its owner, with a token that has the scopes of the tool.
 */
export class TaskAccess {
  readonly #host: ExtensionHost;

  constructor(host: ExtensionHost) {
    this.#host = host;
  }

  /** Tells if the caller owns the task. For other callers the task does not exist. */
  isOwner({ caller, params }: TaskRecord, by: CallerInfo): boolean {
    return isSameOwner(caller.auth, by.auth) && this.#host.getToolAccess(params.name, by).visible;
  }

  /** Tells if the caller owns the task and has the scopes of its tool. */
  isAllowed(record: TaskRecord, by: CallerInfo): boolean {
    return this.isOwner(record, by) && hasScopes(by.auth, this.#getScopes(record, by));
  }

  /** Throws 403 with the missing scopes when the token of the owner lacks one. */
  checkScopes(records: readonly TaskRecord[], by: CallerInfo): void {
    const needed = records.map(record => this.#getScopes(record, by));
    if (needed.every(scopes => hasScopes(by.auth, scopes))) return;
    throw insufficientScope([...new Set(needed.flat())]);
  }

  /**
   * Returns the scopes of a task's tool. The scopes at the creation of the task count too, because a replica may not
   * have the tool.
   */
  #getScopes({ params, scopes = [] }: TaskRecord, by: CallerInfo): readonly string[] {
    return [...new Set([...scopes, ...this.#host.getToolAccess(params.name, by).scopes])];
  }
}
