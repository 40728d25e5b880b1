import type { JsonObject } from '@tenon/base';
import { createMissingCapabilityError } from '../../protocol/missing-capabilities.js';
import type { SubscriptionFilter } from '../../protocol/params-and-results.js';
import { TASKS } from '../../protocol/tasks.js';
import type { TaskOptions } from '../../server/definitions/tool.js';
import type { ExtensionHost, ExtensionSubscription, ToolCall } from '../../server/extension.js';
import type { RequestContext } from '../../server/request-context.js';
import { createStoreClock } from '../../stores/store-clock.js';
import { TaskInputDelivery } from './input-delivery.js';
import { createMethodHandlers, type TaskMethodHandlers } from './method-handlers.js';
import type { TaskSettings } from './options.js';
import { TaskAccess } from './task-access.js';
import { createTask, type PromotionTrigger, promoteCall, type TaskRuntime } from './task-creation.js';
import type { TaskRecord } from './task-record.js';
import { TaskStore } from './task-store.js';
import { TaskSubscribers } from './task-subscribers.js';
import { TaskWorker } from './task-worker.js';

/** Maximum number of tasks in one `subscriptions/listen` request. */
const MAX_LISTENED_TASKS = 1000;

/** Creates, runs and reports the tasks of one server. */
export interface TaskService {
  readonly handlers: TaskMethodHandlers;
  /** Compares the clock of this process with that of the store, if it is due. Precedes each other call. */
  syncClock(): Promise<void> | undefined;
  create(call: ToolCall, rules: TaskOptions): Promise<JsonObject>;
  promote(call: ToolCall, rules: TaskOptions, arm: PromotionTrigger): Promise<JsonObject>;
  listen(wishes: SubscriptionFilter, context: RequestContext): Promise<ExtensionSubscription | undefined>;
  close(): void;
}

export function openTaskService(extensionHost: ExtensionHost, settings: TaskSettings): TaskService {
  // Times of tasks are those of the store, because any process continues and expires them.
  const clock = createStoreClock(extensionHost.stores, extensionHost.clock);
  const host = { ...extensionHost, clock };
  const store = new TaskStore(host, settings);
  const access = new TaskAccess(host);
  const subscribers = new TaskSubscribers(store, host.clock, access, record => delivery.scheduleDelivery(record));
  const worker = new TaskWorker(host, store, subscribers, settings);
  const runtime: TaskRuntime = { host, worker, subscribers, access, settings };
  const delivery = new TaskInputDelivery(runtime, store);
  return {
    handlers: createMethodHandlers(runtime, store, delivery),
    syncClock: () => clock.sync(),
    create: (call, rules) => createTask(runtime, call, rules),
    promote: (call, rules, arm) => promoteCall(runtime, call, rules, arm),
    listen: (wishes, context) => listenToTasks(wishes, context, store, runtime),
    close: () => worker.close(),
  };
}

async function listenToTasks(
  { taskIds = [] }: SubscriptionFilter,
  { dialect, caller }: RequestContext,
  store: TaskStore,
  { access, subscribers }: TaskRuntime,
): Promise<ExtensionSubscription | undefined> {
  if (taskIds.length === 0) return undefined;
  if (caller.capabilities.extensions?.[TASKS] === undefined)
    throw createMissingCapabilityError(dialect, { extensions: { [TASKS]: {} } });
  const ids = [...new Set(taskIds)].slice(0, MAX_LISTENED_TASKS);
  const records = await Promise.all(ids.map(id => store.get(id)));
  const own = records.filter(record => record !== undefined && access.isOwner(record, caller)) as TaskRecord[];
  access.checkScopes(own, caller);
  const known = own.map(({ id }) => id);
  const start = (deliver: (method: string, params: JsonObject) => void) =>
    subscribers.addListener(known, caller, deliver);
  return { filter: { taskIds: known }, start };
}
