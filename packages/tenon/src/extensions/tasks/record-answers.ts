import { isRecordedRequest, type RecordedRequest } from '../../execution/journal.js';
import type { InputResponses } from '../../protocol/input-requests.js';
import { readInputResponse } from '../../protocol/input-responses.js';
import { retryStoreFaults } from '../../stores/fault-retry.js';
import type { TaskRuntime } from './task-creation.js';
import { type TaskRecord, updateRecord } from './task-record.js';
import type { TaskStore } from './task-store.js';

export type InputOutcome = Pick<RecordedRequest, 'answer' | 'refused'>;

/**
 * Records answers of a client. Answers without an open input request are dropped. If one answer is invalid, all are
 * refused.
 */
export function recordAnswers(
  runtime: TaskRuntime,
  store: TaskStore,
  id: string,
  responses: InputResponses,
): Promise<void> {
  return updateSettled(runtime, store, id, ({ questions }) => {
    const given = Object.keys(questions).filter(key => Object.hasOwn(responses, key));
    return new Map(
      given.map(key => {
        const answer = readInputResponse(runtime.host, key, String(questions[key]?.method), responses[key]);
        return [key, { answer: { ...answer } }];
      }),
    );
  });
}

/**
 * Records the answer or refusal of one input request. Waits for a store that has a fault, because the client, whose
 * response was accepted, does not send it again.
 */
export function recordAnswer(
  runtime: TaskRuntime,
  store: TaskStore,
  id: string,
  key: string,
  outcome: InputOutcome,
): Promise<void> {
  const record = () =>
    updateSettled(runtime, store, id, ({ questions }) =>
      Object.hasOwn(questions, key) ? new Map([[key, outcome]]) : new Map(),
    );
  const { clock, onError } = runtime.host;
  return retryStoreFaults(record, { clock, maxElapsed: Number.POSITIVE_INFINITY, onFault: onError });
}

/** Stores the answers or refusals of input requests. The worker of the task then continues. */
async function updateSettled(
  { host, worker }: TaskRuntime,
  store: TaskStore,
  id: string,
  getSettled: (record: TaskRecord) => ReadonlyMap<string, InputOutcome>,
): Promise<void> {
  const record = await store.updateIfPresent(id, before => {
    const settled = getSettled(before);
    if (settled.size === 0) return undefined;
    const journal = before.journal.map(entry =>
      isRecordedRequest(entry) ? { ...entry, ...settled.get(entry.ask) } : entry,
    );
    const questions = Object.fromEntries(Object.entries(before.questions).filter(([key]) => !settled.has(key)));
    const status = Object.keys(questions).length === 0 ? 'working' : 'input_required';
    return updateRecord(before, host.clock.now(), { journal, questions, status });
  });
  if (record?.status === 'working') await worker.wake(id);
}
