import type { Entry } from '../../conversation/asking/asking.js';
import { missingCapability } from '../../conversation/capability.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { rpcError, TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { within } from '../../model/check.js';
import { TASKS, type TaskParams, taskParams } from '../../model/tasks.js';
import type { House, ToolCall } from '../../server/extension.js';
import type { TaskRules } from '../../server/tool.js';
import type { Turn } from '../../server/turn.js';
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
  readonly settings: Settings;
}

/** Serves a call as a task where that is wanted; undefined where it is not. */
export function start(maker: Maker, call: ToolCall): Promise<JsonObject> | undefined {
  const { rules, turn } = call;
  if (turn.dialect.tasks === 'by-parameter') return startAsked(maker, call);
  if (rules === undefined) return undefined;
  const has = turn.dialect.tasks === 'by-extension' && turn.caller.capabilities.extensions?.[TASKS] !== undefined;
  if (!has && rules.support === 'required') throw onlyAsTask(call);
  if (!has) return undefined;
  const { after = 0, departs } = rules;
  if (call.run.depart === undefined) return departs ? undefined : create(maker, call, rules);
  if (departs) return promote(maker, call, rules, depart => whenTold(departs, depart));
  return after > 0
    ? promote(maker, call, rules, depart => maker.house.clock.after(after, depart))
    : create(maker, call, rules);
}

/** Where the client says whether it wants a task. */
function startAsked(maker: Maker, call: ToolCall): Promise<JsonObject> | undefined {
  const { rules } = call;
  const { task } = call.operation.params;
  if (task === undefined) {
    if (rules?.support === 'required') throw onlyAsTask(call);
    return undefined;
  }
  if (rules === undefined)
    throw rpcError(METHOD_NOT_FOUND, `Tool ${call.operation.name} does not run as a task: call it without "task"`);
  const problem = taskParams(task);
  if (problem || !isObject(task))
    throw rpcError(INVALID_PARAMS, `Invalid params: ${problem && within('/task', problem)}`);
  return create(maker, call, { ...rules, ...asked(task) });
}

function asked({ ttl }: TaskParams): Pick<TaskRules, 'ttl'> {
  return ttl === undefined || ttl < 0 ? {} : { ttl };
}

function onlyAsTask({ operation, turn }: ToolCall): TenonError {
  const { dialect } = turn;
  if (dialect.tasks === 'by-extension') return missingCapability(dialect, { extensions: { [TASKS]: {} } });
  return rpcError(METHOD_NOT_FOUND, `Tool ${operation.name} runs as a task only`);
}

async function create(maker: Maker, call: ToolCall, rules: TaskRules): Promise<JsonObject> {
  const { worker, audience } = maker;
  const record = recordOf(maker, call, rules);
  const claim = await worker.create(record);
  await worker.enlist(record);
  if (call.turn.session) audience.attend(record.id, call.turn.session);
  worker.begin(claim);
  return created(record);
}

function whenTold(departs: (depart: () => void) => void, depart: () => void): () => void {
  departs(depart);
  return () => {};
}

/** Runs the call for the one who waits for it; when that takes too long, or its handler says so, it goes on as a task. */
async function promote(
  maker: Maker,
  call: ToolCall,
  rules: TaskRules,
  arm: (depart: () => void) => () => void,
): Promise<JsonObject> {
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
  const record = recordOf(maker, call, rules);
  const claim = await worker.create(record);
  const job = worker.adopt(claim, call.run.journal);
  let answer: (result: Promise<JsonObject>) => void = () => {};
  const answered = new Promise<JsonObject>(resolve => {
    answer = resolve;
  });
  const handler = call.run.depart?.(job.ways, answered);
  // It was done, or has asked, before the task was made.
  if (handler === undefined) {
    await job.giveBack();
    return worker.discard(record);
  }
  answer(settled(worker, job, call.run.journal.entries));
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

function recordOf({ house, settings }: Maker, { operation, turn, run }: ToolCall, rules: TaskRules): TaskRecord {
  const now = house.clock.now();
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
    params,
    inputs: operation.context.inputs,
    journal: run.journal.entries,
    questions: {},
  };
}

function callerOf({ caller }: Turn): TaskRecord['caller'] {
  const { client, capabilities, auth } = caller;
  return { capabilities, ...(client ? { client } : {}), ...(auth ? { auth } : {}) };
}
