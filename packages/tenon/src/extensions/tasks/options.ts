import { MAX_SHARE } from '../../jsonrpc/shared-limit.js';
import { identifyCaller } from '../../protocol/caller-identity.js';
import type { Complete } from '../../protocol/defaults.js';
import type { CallerInfo } from '../../server/caller-info.js';

/** Options of tasks. */
export interface TasksOptions {
  /** Time for which a task is kept, from its creation, ended or not, in milliseconds. Default 86,400,000: 24 hours. */
  readonly ttl?: number | undefined;
  /** Maximum `ttl` that a client or a tool can request, in milliseconds. Default 604,800,000: 7 days. */
  readonly maxTtl?: number | undefined;
  /**
   * Longest advised interval between polls of a client, in milliseconds. A new task advises 20, and later as much as its
   * age. Default 1,000.
   */
  readonly pollInterval?: number | undefined;
  /** Tasks that this process works on at once; those that wait for an answer do not count. Others wait. Default 100. */
  readonly maxRunning?: number | undefined;
  /** Tasks of this process that have not ended; further calls are refused. Default 10,000. */
  readonly maxOpen?: number | undefined;
  /** Maximum of `maxOpen` of one user with one OAuth client, or of one address of anonymous callers. Default 1,000. */
  readonly maxOpenPerUser?: number | undefined;
  /**
   * Part of `maxOpen` and `maxRunning` that one user, or one address of anonymous callers, may use alone, from 0 to 1.
   * Default 0.5; 1 lets one caller use everything.
   */
  readonly maxShare?: number | undefined;
  /**
   * Maximum size of one task in characters of JSON: arguments, input requests and result together, and as much again for
   * its steps. Larger arguments are refused before the handler runs. A larger result ends the task as failed. Default
   * 16,777,216 (16 Mi).
   */
  readonly maxRecordSize?: number | undefined;
  /** Time after which a silent process no longer counts as working on its tasks, in milliseconds. Default 15,000. */
  readonly leaseTtl?: number | undefined;
  /**
   * Time for which a task is left to other processes when no tool of its name, or no tool of its version, is here, in
   * milliseconds; then it fails. Applies to stores that several processes share. Default 600,000: 10 minutes.
   */
  readonly handoverTimeout?: number | undefined;
  /**
   * Time that a handler waits in memory for an answer, in milliseconds; later it runs again. Default 300,000: 5
   * minutes.
   */
  readonly suspendTimeout?: number | undefined;
  /**
   * Offers `tasks/list`. Default: to authenticated callers only, because others cannot be distinguished. `true` is for
   * a server with a single user.
   */
  readonly list?: boolean | undefined;
  /** Called for each event of a task, for an audit log or metrics. */
  readonly onEvent?: ((event: TaskEvent) => void) | undefined;
}

/** Something that happened to a task, for audit logs and metrics. */
export interface TaskEvent {
  /** Kind of the event. `taken-over`: another process continues the task. */
  readonly type:
    | 'created'
    | 'taken-over'
    | 'input-required'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'read'
    | 'not-found';
  /** ID of the task. */
  readonly taskId: string;
  /** Name of the tool. */
  readonly tool: string | undefined;
  /** User for whom the task runs. Undefined for anonymous callers. */
  readonly principal: string | undefined;
  /** OAuth client that created the task or requested it. */
  readonly clientId?: string | undefined;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const TASK_DEFAULTS = {
  ttl: 24 * HOUR,
  maxTtl: 7 * 24 * HOUR,
  pollInterval: SECOND,
  maxRunning: 100,
  maxOpen: 10_000,
  maxOpenPerUser: 1000,
  maxShare: MAX_SHARE,
  maxRecordSize: 16 * 2 ** 20,
  leaseTtl: 15 * SECOND,
  handoverTimeout: 10 * MINUTE,
  suspendTimeout: 5 * MINUTE,
} as const;

export type TaskSettings = TasksOptions & Complete<Omit<TasksOptions, 'list' | 'onEvent'>>;

/** Names user and OAuth client for an event. */
export function describeCaller({ auth }: Pick<CallerInfo, 'auth'>): Pick<TaskEvent, 'principal' | 'clientId'> {
  const { principal, clientId } = identifyCaller(auth);
  return { principal, ...(clientId === undefined ? {} : { clientId }) };
}

/**
 * True if the caller may list tasks. Unauthenticated callers cannot be distinguished and would see the tasks of others.
 */
export function canListTasks({ list }: TaskSettings, { auth }: CallerInfo): boolean {
  return list ?? auth !== undefined;
}
