import { type AuthInfo, type ErrorObject, getCallerKey, type JsonObject, TenonError } from '@tenon/base';
import type { JournalEntry } from '../../execution/journal.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { Implementation } from '../../protocol/content.js';
import type { InputRequests } from '../../protocol/input-requests.js';
import type { ParamsOf } from '../../protocol/method-types.js';
import type { RetryInputs } from '../../protocol/params-and-results.js';
import { type DetailedTask, isTerminal, type Task, type TaskStatus } from '../../protocol/tasks.js';

/**
 * The stored form of a task, with everything that another process needs to continue it. Times are milliseconds since
 * the epoch.
 */
export interface TaskRecord {
  readonly id: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  readonly created: number;
  readonly updated: number;
  /** Lifetime from the creation, in milliseconds. Null: no end. */
  readonly ttl: number | null;
  readonly pollInterval: number;
  /** Protocol version of the request that created the task. The name is that of stored records. */
  readonly revision: string;
  readonly caller: {
    readonly client?: Implementation;
    readonly capabilities: ClientCapabilities;
    readonly auth?: AuthInfo;
    readonly address?: string;
  };
  /** Version of the handler that started the task, if its tool declares one. */
  readonly version?: string;
  /** Scopes that the tool required when the task was created. */
  readonly scopes?: readonly string[];
  /** Params of the tool call that became the task. */
  readonly params: ParamsOf<'tools/call'>;
  /** Inputs of the handler in addition to the params. */
  readonly inputs: RetryInputs;
  /**
   * Pending and recently settled entries of the journal, and all entries from before the call became a task. The others
   * are in the log of the task. Records of earlier releases contain all entries here.
   */
  readonly journal: readonly JournalEntry[];
  /** The open input requests, by key. */
  readonly questions: InputRequests;
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
}

/** Returns the key of the caller whose limits a task uses. */
export function getCaller({ caller: { auth, address } }: TaskRecord): string {
  return getCallerKey(auth, address);
}

/** Tells if a record could not be stored because it exceeds `maxRecordSize`. */
export function isTooLarge(error: unknown): error is TenonError {
  return TenonError.is(error) && error.code === 'store/value-too-large';
}

/** Describes the limit and the actual size of a record. */
export function describeSize({ expected, received }: TenonError): string {
  return `Expected ${expected}, got ${received}`;
}

/** Changes a record and sets the time of the change. */
export function updateRecord(record: TaskRecord, now: number, change: Partial<TaskRecord>): TaskRecord {
  return { ...record, ...change, updated: Math.max(now, record.updated) };
}

/** Ends a task and removes its journal and inputs. A task that has already ended stays unchanged. */
export function endRecord(
  record: TaskRecord,
  now: number,
  end: Partial<TaskRecord> & { status: TaskStatus },
): TaskRecord {
  if (isTerminal(record.status)) return record;
  const { statusMessage: _, ...rest } = record;
  return updateRecord(rest, now, { ...end, journal: [], questions: {} });
}

/** Recommended interval between polls of a new task, in milliseconds. */
const MIN_POLL_INTERVAL = 20;

/** Converts a record to the form for clients. */
export function toTask(record: TaskRecord, now: number): Task {
  const { id, status, statusMessage, created, updated, ttl, pollInterval } = record;
  return {
    taskId: id,
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    createdAt: new Date(created).toISOString(),
    lastUpdatedAt: new Date(updated).toISOString(),
    ttlMs: ttl,
    // Many tasks end soon. Intervals that grow with the age of the task find the end early with few polls.
    pollIntervalMs: Math.min(pollInterval, Math.max(MIN_POLL_INTERVAL, now - created)),
  };
}

/** Converts a record to the form for clients, with the payload of its status. */
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
