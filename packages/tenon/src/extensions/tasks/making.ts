import type { Entry, KeptRun } from '../../conversation/asking/asking.js';
import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { House, ToolCall } from '../../server/extension.js';
import type { TaskRules } from '../../server/tool.js';
import type { Turn } from '../../server/turn.js';
import type { TaskAccess } from './access.js';
import type { Audience } from './audience.js';
import type { Job } from './job.js';
import type { Settings } from './options.js';
import { type TaskRecord, taskOf } from './record.js';
import { paramsOf } from './task-turn.js';
import type { Worker } from './worker.js';

declare const crypto: { randomUUID(): string };

/** What makes tasks of calls. */
export interface Maker {
  readonly house: House;
  readonly worker: Worker;
  readonly audience: Audience;
  readonly access: TaskAccess;
  readonly settings: Settings;
}

/** Calls `depart` when a call is to go on as a task. Returns what keeps it from that. */
export type Arm = (depart: () => void) => () => void;

/** Makes a task of a call, to be worked on from here on. */
export async function create(maker: Maker, call: ToolCall, rules: TaskRules): Promise<JsonObject> {
  const { worker, audience } = maker;
  const record = recordOf(maker, call, await call.run.whole(), rules);
  const claim = await worker.create(record);
  await worker.enlist(record);
  if (call.turn.session) audience.attend(record.id, call.turn.session, call.turn.caller);
  worker.begin(claim);
  return created(record);
}

/** Runs the call for the one who waits for it; when that takes too long, or its handler says so, it goes on as a task. */
export async function promote(maker: Maker, call: ToolCall, rules: TaskRules, arm: Arm): Promise<JsonObject> {
  let making: Promise<void> | undefined;
  const stop = arm(() => {
    making ??= depart(maker, call, rules).catch(error => maker.house.problem(TenonError.from(error)));
  });
  try {
    return await call.perform();
  } finally {
    stop();
    await making;
  }
}

async function depart(maker: Maker, call: ToolCall, rules: TaskRules): Promise<void> {
  const { worker } = maker;
  const run = await call.run.whole();
  const record = recordOf(maker, call, run, rules);
  const claim = await worker.create(record);
  const job = worker.adopt(claim, run.journal);
  let answer: (result: Promise<JsonObject>) => void = () => {};
  const answered = new Promise<JsonObject>(resolve => {
    answer = resolve;
  });
  const handler = run.depart?.(job.ways, answered);
  // It was done, or has asked, before the task was made.
  if (handler === undefined) {
    await job.giveBack();
    return worker.discard(record);
  }
  answer(settled(worker, job, run.journal.entries));
  call.move(job.turn, paramsOf(record));
  void job.run(handler);
}

/** The client hears of it when all is written that was done while the record was made: nobody does that again. */
async function settled(worker: Worker, job: Job, entries: readonly Entry[]): Promise<JsonObject> {
  await job.write(({ journal }) => ({ journal: entries.length > journal.length ? entries : journal }));
  await worker.enlist(job.record);
  return created(job.record);
}

function created(record: TaskRecord): JsonObject {
  return { resultType: 'task', ...taskOf(record) };
}

function recordOf(
  { house, settings }: Maker,
  { operation, turn }: ToolCall,
  { journal }: KeptRun,
  rules: TaskRules,
): TaskRecord {
  const now = house.clock.now();
  const { scopes } = house.toolAccess(operation.params.name as string, turn.caller);
  const { inputResponses: _, requestState: __, task: ___, ...params } = operation.params;
  return {
    id: crypto.randomUUID(),
    status: 'working',
    created: now,
    updated: now,
    ttl: Math.min(rules.ttl ?? settings.ttl, settings.maxTtl),
    pollInterval: rules.pollInterval ?? settings.pollInterval,
    revision: turn.dialect.revision,
    caller: callerOf(turn),
    ...(rules.version === undefined ? {} : { version: rules.version }),
    ...(scopes.length === 0 ? {} : { scopes }),
    params,
    inputs: operation.context.inputs,
    journal: journal.entries,
    questions: {},
  };
}

function callerOf({ caller }: Turn): TaskRecord['caller'] {
  const { client, capabilities, auth, address } = caller;
  return {
    capabilities,
    ...(client ? { client } : {}),
    ...(auth ? { auth } : {}),
    ...(address === undefined ? {} : { address }),
  };
}
