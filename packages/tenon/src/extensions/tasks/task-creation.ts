import { type JsonObject, TenonError } from '@tenon/base';
import type { JournaledRun } from '../../execution/handler-run.js';
import type { TaskOptions } from '../../server/definitions/tool.js';
import type { ExtensionHost, ToolCall } from '../../server/extension.js';
import type { TaskSettings } from './options.js';
import type { TaskAccess } from './task-access.js';
import { createHandlerParams } from './task-context.js';
import { type TaskRecord, toTask } from './task-record.js';
import type { TaskSubscribers } from './task-subscribers.js';
import type { TaskWorker } from './task-worker.js';

declare const crypto: { randomUUID(): string };

/** Objects that the creation of tasks needs. */
export interface TaskRuntime {
  readonly host: ExtensionHost;
  readonly worker: TaskWorker;
  readonly subscribers: TaskSubscribers;
  readonly access: TaskAccess;
  readonly settings: TaskSettings;
}

/** Registers a function that turns the call into a task. Returns a function that cancels the registration. */
export type PromotionTrigger = (depart: () => void) => () => void;

/** Creates a task for a call and starts to run it. */
export async function createTask(runtime: TaskRuntime, call: ToolCall, rules: TaskOptions): Promise<JsonObject> {
  const { worker, subscribers } = runtime;
  const record = createTaskRecord(runtime, call, await call.run.toJournaled(), rules);
  const claim = await worker.createIndexed(record);
  if (call.requestContext.session)
    subscribers.subscribeSession(record.id, call.requestContext.session, call.requestContext.caller);
  worker.begin(claim);
  return createTaskResult(record);
}

/**
 * Runs the call while the caller waits. If it takes too long, or if its handler requests a task, it continues as a
 * task.
 */
export async function promoteCall(
  runtime: TaskRuntime,
  call: ToolCall,
  rules: TaskOptions,
  arm: PromotionTrigger,
): Promise<JsonObject> {
  let creation: Promise<void> | undefined;
  const stop = arm(() => {
    creation ??= continueAsTask(runtime, call, rules).catch(error => runtime.host.onError(TenonError.from(error)));
  });
  try {
    return await call.invoke();
  } finally {
    stop();
    await creation;
  }
}

async function continueAsTask(runtime: TaskRuntime, call: ToolCall, rules: TaskOptions): Promise<void> {
  const { worker } = runtime;
  const run = await call.run.toJournaled();
  const record = createTaskRecord(runtime, call, run, rules);
  const claim = await worker.create(record);
  const job = worker.adopt(claim, run.journal);
  let respond: (result: Promise<JsonObject>) => void = () => {};
  const response = new Promise<JsonObject>(resolve => {
    respond = resolve;
  });
  const handler = run.redirectTo?.(job.backend, response);
  // The call ended, or requested input, before the task was created.
  if (handler === undefined) {
    await job.giveBack();
    return worker.discard(record, job.log);
  }
  // The client gets the task after every event during its creation is stored, because no worker repeats that work.
  const publish = async (): Promise<JsonObject> => {
    await job.append(run.journal.entries.slice(job.record.journal.length));
    await worker.index(job);
    return createTaskResult(job.record);
  };
  respond(publish());
  call.rebind(job.context, createHandlerParams(record));
  void job.run(handler);
}

function createTaskResult(record: TaskRecord): JsonObject {
  return { resultType: 'task', ...toTask(record, record.created) };
}

function createTaskRecord(
  { host, settings }: TaskRuntime,
  { operation, requestContext }: ToolCall,
  { journal }: JournaledRun,
  rules: TaskOptions,
): TaskRecord {
  const now = host.clock.now();
  const { scopes } = host.getToolAccess(operation.params.name, requestContext.caller);
  const { inputResponses: _, requestState: __, task: ___, ...params } = operation.params;
  const { client, capabilities, auth, address } = requestContext.caller;
  return {
    id: crypto.randomUUID(),
    status: 'working',
    created: now,
    updated: now,
    ttl: Math.min(rules.ttl ?? settings.ttl, settings.maxTtl),
    pollInterval: rules.pollInterval ?? settings.pollInterval,
    revision: requestContext.dialect.protocolVersion,
    caller: {
      capabilities,
      ...(client ? { client } : {}),
      ...(auth ? { auth } : {}),
      ...(address === undefined ? {} : { address }),
    },
    ...(rules.version === undefined ? {} : { version: rules.version }),
    ...(scopes.length === 0 ? {} : { scopes }),
    params,
    inputs: operation.context.inputs,
    journal: journal.entries,
    questions: {},
  };
}
