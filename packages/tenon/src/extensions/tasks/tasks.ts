import { missingCapability } from '../../conversation/capability.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { SubscriptionFilter } from '../../model/shapes.js';
import { TASKS } from '../../model/tasks.js';
import type { House, Installed, Listening, ServerExtension } from '../../server/extension.js';
import type { Turn } from '../../server/turn.js';
import { Audience } from './audience.js';
import { Courier } from './courier.js';
import { offersList, operationsOf } from './operations.js';
import { defaults, type TasksOptions } from './options.js';
import { Shelf } from './shelf.js';
import { type Maker, start } from './starting.js';
import { Worker } from './worker.js';

/** How many tasks one listener may name. */
const MAX_LISTENED = 1000;

/**
 * Lets calls of tools with `task` become tasks: answered at once, to be looked at later, and done even when the process
 * dies, where the server has `stores` that outlive it. Serves the extension and the tasks of 2025-11-25 alike.
 * https://modelcontextprotocol.io/extensions/tasks/overview
 */
export function tasks(options: TasksOptions = {}): ServerExtension {
  return { id: TASKS, install: house => installed(house, options) };
}

function installed(house: House, options: TasksOptions): Installed {
  const settings = { ...defaults, ...options };
  const shelf = new Shelf(house.stores, house.clock, settings.lease);
  const audience = new Audience(shelf, house.clock, record => courier.soon(record));
  const worker = new Worker(house, shelf, audience, settings);
  const maker: Maker = { house, worker, audience, settings };
  const courier = new Courier(maker, shelf);
  return {
    operations: operationsOf(maker, shelf, courier),
    capabilities(dialect, caller) {
      if (dialect.tasks !== 'by-parameter') return {};
      const list = offersList(settings, caller) ? { list: {} } : {};
      return { tasks: { ...list, cancel: {}, requests: { tools: { call: {} } } } };
    },
    call: call => start(maker, call),
    listen: (wishes, turn) => listening(wishes, turn, shelf, audience),
    close: () => worker.close(),
  };
}

async function listening(
  { taskIds = [] }: SubscriptionFilter,
  { dialect, caller }: Turn,
  shelf: Shelf,
  audience: Audience,
): Promise<Listening | undefined> {
  if (taskIds.length === 0) return undefined;
  if (caller.capabilities.extensions?.[TASKS] === undefined)
    throw missingCapability(dialect, { extensions: { [TASKS]: {} } });
  const ids = [...new Set(taskIds)].slice(0, MAX_LISTENED);
  const records = await Promise.all(ids.map(id => shelf.get(id)));
  const known = ids.filter((_, at) => {
    const record = records[at];
    return record !== undefined && record.caller.auth?.principal === caller.auth?.principal;
  });
  const begin = (deliver: (method: string, params: JsonObject) => void) => audience.listen(known, deliver);
  return { filter: { taskIds: known }, begin };
}
