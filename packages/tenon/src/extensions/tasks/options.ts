import { type Complete, identifyCaller, MAX_SHARE } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';

/** Options of the tasks extension. */
export interface TasksOptions {
  /**
   * Lifetime of a task from its creation, in milliseconds. It also applies to tasks that have ended.
   * @default 86,400,000 (24 hours)
   */
  readonly ttl?: number | undefined;
  /**
   * Maximum `ttl` that a client or a tool can request, in milliseconds.
   * @default 604,800,000 (7 days)
   */
  readonly maxTtl?: number | undefined;
  /**
   * Maximum recommended interval between polls of a client, in milliseconds. A new task recommends 20 ms. Later the
   * recommended interval is the age of the task.
   * @default 1,000
   */
  readonly pollInterval?: number | undefined;
  /**
   * Maximum number of tasks that this process runs at the same time. Tasks that wait for input do not count. Further
   * tasks wait.
   * @default 100
   */
  readonly maxRunning?: number | undefined;
  /**
   * Maximum number of tasks of this process that have not ended. Further calls are refused.
   * @default 10,000
   */
  readonly maxOpen?: number | undefined;
  /**
   * Maximum number of open tasks of one user with one OAuth client, or of one address of anonymous callers.
   * @default 1,000
   */
  readonly maxOpenPerUser?: number | undefined;
  /**
   * Share of `maxOpen` and `maxRunning` for one user, or for one address of anonymous callers. A number from 0 to 1;
   * 1 sets no limit.
   * @default 0.5
   */
  readonly maxShare?: number | undefined;
  /**
   * Maximum size of one task, in characters of JSON. It applies to the arguments, input requests and result together,
   * and separately to the steps.
   *
   * Larger arguments are refused before the handler runs. A larger result makes the task fail.
   *
   * @default 16,777,216 (16 Mi)
   */
  readonly maxRecordSize?: number | undefined;
  /**
   * Time after which a process that does not renew its leases counts as dead, in milliseconds. Another process then
   * continues its tasks.
   * @default 15,000
   */
  readonly leaseTtl?: number | undefined;
  /**
   * Time that a task waits for a process with its tool, or with the version of its tool, in milliseconds. After it
   * the task fails. Applies to stores that several processes share.
   * @default 600,000 (10 minutes)
   */
  readonly handoverTimeout?: number | undefined;
  /**
   * Maximum time that a handler waits in memory for an answer, in milliseconds. After it the handler runs again when
   * the answer arrives.
   * @default 300,000 (5 minutes)
   */
  readonly suspendTimeout?: number | undefined;
  /**
   * Offers `tasks/list`. Use `true` only for a server with a single user, because anonymous callers cannot be
   * distinguished.
   * @default only authenticated callers
   */
  readonly list?: boolean | undefined;
  /** Called for each event of a task, for an audit log or metrics. */
  readonly onEvent?: ((event: TaskEvent) => void) | undefined;
}

/** An event of a task, for audit logs and metrics. */
export interface TaskEvent {
  /** Kind of the event. `taken-over`: this process continues the task of another process. */
  readonly type:
    | 'created'
    | 'taken-over'
    | 'input-required'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'read'
    | 'not-found';
  /** ID of the task that the event is about. */
  readonly taskId: string;
  /** Name of the tool whose call became the task. */
  readonly tool: string | undefined;
  /** User for whom the task runs. Undefined for anonymous callers. */
  readonly principal: string | undefined;
  /** OAuth client of the event: the one that created the task, or that sent the request. */
  readonly clientId?: string | undefined;
}

// Times are in milliseconds. Bundlers keep a product of names, and with it values that a program does not use.
export const TASK_DEFAULTS = {
  ttl: 86_400_000,
  maxTtl: 604_800_000,
  pollInterval: 1000,
  maxRunning: 100,
  maxOpen: 10_000,
  maxOpenPerUser: 1000,
  maxShare: MAX_SHARE,
  maxRecordSize: 16 * 2 ** 20,
  leaseTtl: 15_000,
  handoverTimeout: 600_000,
  suspendTimeout: 300_000,
} as const;

export type TaskSettings = TasksOptions & Complete<Omit<TasksOptions, 'list' | 'onEvent'>>;

/** Returns the user and the OAuth client for an event. */
export function describeCaller({ auth }: Pick<CallerInfo, 'auth'>): Pick<TaskEvent, 'principal' | 'clientId'> {
  const { principal, clientId } = identifyCaller(auth);
  return { principal, ...(clientId === undefined ? {} : { clientId }) };
}

/** Tells if the caller may list tasks. Anonymous callers cannot be distinguished and would see the tasks of others. */
export function canListTasks({ list }: TaskSettings, { auth }: CallerInfo): boolean {
  return list ?? auth !== undefined;
}
