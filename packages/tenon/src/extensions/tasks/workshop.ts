import { missingCapability } from '../../conversation/capability.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { SubscriptionFilter } from '../../model/shapes.js';
import { TASKS } from '../../model/tasks.js';
import type { House, Listening, Operate, ToolCall } from '../../server/extension.js';
import type { TaskRules } from '../../server/tool.js';
import type { Turn } from '../../server/turn.js';
import { TaskAccess } from './access.js';
import { Audience } from './audience.js';
import { Courier } from './courier.js';
import { type Arm, create, type Maker, promote } from './making.js';
import { operationsOf } from './operations.js';
import type { Settings } from './options.js';
import type { TaskRecord } from './record.js';
import { Shelf } from './shelf.js';
import { Worker } from './worker.js';

/** How many tasks one listener may name. */
const MAX_LISTENED = 1000;

/** Where the tasks of one server are made, worked on and asked after. */
export interface Workshop {
  readonly operations: { readonly [method: string]: Operate };
  create(call: ToolCall, rules: TaskRules): Promise<JsonObject>;
  promote(call: ToolCall, rules: TaskRules, arm: Arm): Promise<JsonObject>;
  listen(wishes: SubscriptionFilter, turn: Turn): Promise<Listening | undefined>;
  close(): void;
}

export function openWorkshop(house: House, settings: Settings): Workshop {
  const shelf = new Shelf(house, settings);
  const access = new TaskAccess(house);
  const audience = new Audience(shelf, house.clock, access, record => courier.soon(record));
  const worker = new Worker(house, shelf, audience, settings);
  const maker: Maker = { house, worker, audience, access, settings };
  const courier = new Courier(maker, shelf);
  return {
    operations: operationsOf(maker, shelf, courier),
    create: (call, rules) => create(maker, call, rules),
    promote: (call, rules, arm) => promote(maker, call, rules, arm),
    listen: (wishes, turn) => listening(wishes, turn, shelf, maker),
    close: () => worker.close(),
  };
}

async function listening(
  { taskIds = [] }: SubscriptionFilter,
  { dialect, caller }: Turn,
  shelf: Shelf,
  { access, audience }: Maker,
): Promise<Listening | undefined> {
  if (taskIds.length === 0) return undefined;
  if (caller.capabilities.extensions?.[TASKS] === undefined)
    throw missingCapability(dialect, { extensions: { [TASKS]: {} } });
  const ids = [...new Set(taskIds)].slice(0, MAX_LISTENED);
  const records = await Promise.all(ids.map(id => shelf.get(id)));
  const own = records.filter(record => record !== undefined && access.isOwner(record, caller)) as TaskRecord[];
  access.checkScopes(own, caller);
  const known = own.map(({ id }) => id);
  const begin = (deliver: (method: string, params: JsonObject) => void) => audience.listen(known, caller, deliver);
  return { filter: { taskIds: known }, begin };
}
