import { INVALID_PARAMS, TenonError } from '@tenon/base';
import { getDialect } from '../../protocol/versions/index.js';
import type { ExtensionHost } from '../../server/extension.js';
import type { TaskSettings } from './options.js';
import { createTaskContext } from './task-context.js';
import { endRecord, type TaskRecord } from './task-record.js';
import type { TaskStore } from './task-store.js';

/** Finds the tasks that this process cannot continue and leaves them to other processes. */
export class UnservedTasks {
  readonly #host: ExtensionHost;
  readonly #store: TaskStore;
  readonly #settings: TaskSettings;
  /** Time at which this process found each task. */
  readonly #since = new Map<string, number>();

  constructor(host: ExtensionHost, store: TaskStore, settings: TaskSettings) {
    this.#host = host;
    this.#store = store;
    this.#settings = settings;
  }

  get ids(): string[] {
    return [...this.#since.keys()];
  }

  /** Forgets a task that has ended or that another process works on. */
  forget(id: string): void {
    this.#since.delete(id);
  }

  /**
   * Tells if this process has the protocol version, the tool and the version of the tool for a task. A task whose tool
   * is missing for too long is ended, and `onFailed` is called.
   */
  async canServe(record: TaskRecord, onFailed: (record: TaskRecord) => void): Promise<boolean> {
    const { id, revision: protocolVersion, params, version } = record;
    const dialect = getDialect(protocolVersion);
    let missing: string | undefined;
    if (dialect) {
      const doNothing = () => undefined;
      const { signal } = new AbortController();
      const context = createTaskContext(record, dialect, signal, doNothing, doNothing, doNothing);
      missing = await this.#host.findObstacle(params, context, version);
      if (missing === undefined) return true;
    }
    const now = this.#host.clock.elapsed();
    const since = this.#since.get(id) ?? now;
    if (!this.#since.has(id))
      this.#host.onError(
        missing === undefined
          ? createUnknownVersionError(protocolVersion)
          : new TenonError('task/unserved', `this process cannot run a task: ${missing}`, {
              hint: 'start a process that has the tool, or wait until `handoverTimeout` has passed',
            }),
      );
    this.#since.set(id, since);
    const isLate = !this.#host.stores.durable || now - since >= this.#settings.handoverTimeout;
    if (missing === undefined || !isLate) return false;
    const end = {
      status: 'failed',
      error: { code: INVALID_PARAMS, message: missing },
      statusMessage: missing,
    } as const;
    const failed = await this.#store.endIdle(id, stored => endRecord(stored, this.#host.clock.now(), end));
    if (failed) onFailed(failed);
    return false;
  }
}

export function createUnknownVersionError(protocolVersion: string): TenonError {
  return new TenonError('task/protocol-version', `this process does not support protocol version ${protocolVersion}`, {
    hint: 'run the task in a process that supports this version',
  });
}
