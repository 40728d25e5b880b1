import { TenonError } from '../../jsonrpc/error.js';
import { applyDefaults } from '../../model/defaults.js';
import { TASKS } from '../../model/tasks.js';
import type { House, Installed, Operate, ServerExtension } from '../../server/extension.js';
import { defaults, offersList, type TasksOptions } from './options.js';
import { start } from './starting.js';
import type { Workshop } from './workshop.js';

const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/result', 'tasks/list'] as const;

/**
 * Lets calls of tools with `task` become tasks: answered at once, to be looked at later, and done even when the process
 * dies, where the server has `stores` that outlive it. Serves the extension and the tasks of 2025-11-25 alike.
 * https://modelcontextprotocol.io/extensions/tasks/overview
 */
export function tasks(options: TasksOptions = {}): ServerExtension {
  return { id: TASKS, install: house => installed(house, options) };
}

function installed(house: House, options: TasksOptions): Installed {
  const settings = applyDefaults(defaults, options);
  let workshop: Workshop | undefined;
  let closed = false;
  // Loaded by the first that has to do with a task: many calls of many servers have not.
  const open = async (): Promise<Workshop> => {
    if (workshop) return workshop;
    const { openWorkshop } = await import('./workshop.js');
    if (workshop) return workshop;
    notSoon?.();
    workshop = openWorkshop(house, settings);
    if (closed) workshop.close();
    return workshop;
  };
  // Others may have left tasks.
  const notSoon = house.stores.durable
    ? house.clock.after(0, () => void open().catch(error => house.problem(TenonError.from(error, 'task/failed'))))
    : undefined;
  const operation =
    (method: string): Operate =>
    async (operation, turn) => {
      const { operations } = await open();
      return (operations[method] as Operate)(operation, turn);
    };
  return {
    operations: Object.fromEntries(METHODS.map(method => [method, operation(method)])),
    capabilities(dialect, caller) {
      if (dialect.tasks !== 'by-parameter') return {};
      const list = offersList(settings, caller) ? { list: {} } : {};
      return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
    },
    call: call => start(house.clock, open, call),
    listen: async (wishes, turn) => (wishes.taskIds?.length ? (await open()).listen(wishes, turn) : undefined),
    close() {
      closed = true;
      workshop?.close();
    },
  };
}
