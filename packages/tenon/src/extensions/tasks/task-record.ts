import type { JournalEntry } from '../../execution/handler-run.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { ErrorObject, JsonObject } from '../../jsonrpc/message.js';
import { getCallerKey } from '../../jsonrpc/shared-limit.js';
import type { AuthInfo } from '../../jsonrpc/transport.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { Implementation } from '../../protocol/content.js';
import type { InputRequests } from '../../protocol/input-requests.js';
import type { ParamsOf } from '../../protocol/method-types.js';
import type { RetryInputs } from '../../protocol/params-and-results.js';
import { type DetailedTask, isTerminal, type Task, type TaskStatus } from '../../protocol/tasks.js';

/** A task as it is kept: all that another process needs to go on with it. Times are milliseconds since the epoch. */
export interface TaskRecord {
  readonly id: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly created: number;
  readonly updated: number;
  /** From its creation on; null is without end. */
  readonly ttl: number | null;
  readonly pollInterval: number;
  readonly revision: string;
  readonly caller: {
    readonly client?: Implementation;
    readonly capabilities: ClientCapabilities;
    readonly auth?: AuthInfo;
    readonly address?: string;
  };
  /** Version of the handler that began it, where its tool declares one. */
  readonly version?: string;
  /** Scopes that the tool demanded when the task was made. */
  readonly scopes?: readonly string[];
  /** Params of the call. */
  readonly params: ParamsOf<'tools/call'>;
  /** Inputs of the handler beside the params. */
  readonly inputs: RetryInputs;
  /**
   * Requests that are open or were answered lately, and what was done before the call became a task. The rest is in the
   * log of the task. Records of earlier versions have all of it here.
   */
  readonly journal: readonly JournalEntry[];
  /** The open input requests, by their keys. */
  readonly questions: InputRequests;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
}

/** The caller whose shares a task uses up. */
export function getCaller({ caller: { auth, address } }: TaskRecord): string {
  return getCallerKey(auth, address);
}

/** Tells if a record could not be stored because it is larger than `maxRecordSize`. */
export function isTooLarge(error: unknown): error is TenonError {
  return TenonError.is(error) && error.code === 'store/value-too-large';
}

/** Describes the limit and the actual size. */
export function describeSize({ expected, received }: TenonError): string {
  return `Expected ${expected}, got ${received}`;
}

/** A change of a record, and when it happened. */
export function updateRecord(record: TaskRecord, now: number, change: Partial<TaskRecord>): TaskRecord {
  return { ...record, ...change, updated: Math.max(now, record.updated) };
}

/** The end of a task: nothing is left to be remembered of its way. One that has ended already stays as it is. */
export function endRecord(
  record: TaskRecord,
  now: number,
  end: Partial<TaskRecord> & { status: TaskStatus },
): TaskRecord {
  if (isTerminal(record.status)) return record;
  const { statusMessage: _, ...rest } = record;
  return updateRecord(rest, now, { ...end, journal: [], questions: {} });
}

/** Returns the remaining time of a record, in milliseconds. */
export function getRemainingTtl({ created, ttl }: TaskRecord, now: number): number | undefined {
  return ttl === null ? undefined : Math.max(1, created + ttl - now);
}

/** Advised interval between polls of a new task, in milliseconds. */
const MIN_POLL_INTERVAL = 20;

/** Converts a record to the task that its client gets. */
export function toTask(record: TaskRecord, now: number): Task {
  const { id, status, statusMessage, created, updated, ttl, pollInterval } = record;
  return {
    taskId: id,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ttlMs: ttl,
    // Many tasks end soon. A client that polls as often as the age of the task doubles sees the end early, by few polls.
    pollIntervalMs: Math.min(pollInterval, Math.max(MIN_POLL_INTERVAL, now - created)),
  };
}

/** The same with the payload of its status. */
export function toDetailedTask(record: TaskRecord, now: number): DetailedTask {
  const task = toTask(record, now);
  switch (record.status) {
    case 'input_required':
      return { ...task, inputRequests: record.questions } as DetailedTask;
    case 'completed':
      return { ...task, result: record.result } as DetailedTask;
    case 'failed':
      return { ...task, error: record.error } as DetailedTask;
    default:
      return task as DetailedTask;
  }
}
