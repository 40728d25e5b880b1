import {
  applyDefaults,
  checkBoolean,
  checkFunction,
  checkOptional,
  checkRange,
  type OptionChecks,
  requireOptions,
  TenonError,
} from '@tenon/base';
import { TASKS } from '../../protocol/tasks.js';
import type { ExtensionHooks, ExtensionHost, MethodHandler, ServerExtension } from '../../server/extension.js';
import type { TaskMethod } from './method-handlers.js';
import { canListTasks, TASK_DEFAULTS, type TasksOptions } from './options.js';
import { startAsTask } from './start-task.js';
import type { TaskService } from './task-service.js';

const amount = checkOptional(checkRange('a number of at least 0', 0));

const optionChecks: OptionChecks<TasksOptions> = {
  ttl: amount,
  maxTtl: amount,
  pollInterval: amount,
  maxRunning: amount,
  maxOpen: amount,
  maxOpenPerUser: amount,
  maxShare: checkOptional(checkRange('a number from 0 to 1', 0, 1)),
  maxRecordSize: amount,
  leaseTtl: checkOptional(checkRange('a number of at least 1', 1)),
  handoverTimeout: amount,
  suspendTimeout: amount,
  list: checkOptional(checkBoolean),
  onEvent: checkOptional(checkFunction),
};

/**
 * Lets calls of tools with the option `task` become tasks: the client gets a response at once and polls for the result.
 * Tasks survive the process if the server's `stores` do. Supports the tasks extension and the tasks of 2025-11-25.
 * @throws TenonError `options/invalid`
 * @see https://modelcontextprotocol.io/extensions/tasks/overview
 */
export function tasks(options: TasksOptions = {}): ServerExtension {
  requireOptions('tasks', options, optionChecks, 'options/invalid');
  return { id: TASKS, setup: host => createHooks(host, options) };
}

function createHooks(host: ExtensionHost, options: TasksOptions): ExtensionHooks {
  const settings = applyDefaults(TASK_DEFAULTS, options);
  let service: TaskService | undefined;
  let isClosed = false;
  // The first call that uses tasks loads the code, because many servers have no such calls.
  const open = async (): Promise<TaskService> => {
    const { openTaskService } = await import('./task-service.js');
    if (service === undefined) {
      cancelOpening?.();
      service = openTaskService(host, settings);
      if (isClosed) service.close();
    }
    // If the store does not respond, the call itself fails.
    await service.syncClock()?.catch(() => {});
    return service;
  };
  // Other processes may have left tasks.
  const cancelOpening = host.stores.durable
    ? host.clock.after(0, () => void open().catch(error => host.onError(TenonError.from(error, 'task/failed'))))
    : undefined;
  const createHandler =
    <M extends TaskMethod>(method: M): MethodHandler<M> =>
    async call => {
      const { handlers } = await open();
      return handlers[method](call);
    };
  return {
    methodHandlers: {
      'tasks/get': createHandler('tasks/get'),
      'tasks/update': createHandler('tasks/update'),
      'tasks/cancel': createHandler('tasks/cancel'),
      'tasks/result': createHandler('tasks/result'),
      'tasks/list': createHandler('tasks/list'),
    },
    getCapabilities(dialect, caller) {
      if (dialect.tasks !== 'by-parameter') return {};
      const list = canListTasks(settings, caller) ? { list: {} } : {};
      return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
    },
    callTool: call => startAsTask(host.clock, open, call),
    subscribe: async (wishes, context) => (wishes.taskIds?.length ? (await open()).listen(wishes, context) : undefined),
    close() {
      isClosed = true;
      service?.close();
    },
  };
}
