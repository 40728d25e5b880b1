import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { rpcError, type TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import type { InputResponses } from '../../model/asking.js';
import { isTerminal } from '../../model/tasks.js';
import type { Operate } from '../../server/extension.js';
import type { Operation } from '../../server/middleware.js';
import type { Turn } from '../../server/turn.js';
import { answer } from './answering.js';
import type { Courier } from './courier.js';
import type { Maker } from './making.js';
import { describeCaller, offersList } from './options.js';
import { detailed, ended, type TaskRecord } from './record.js';
import type { Shelf } from './shelf.js';
import { outcomeOf } from './waiting.js';

const PAGE = 100;
const CURSOR = /^\d{15}-[\w-]{1,64}$/;

/** https://modelcontextprotocol.io/extensions/tasks/overview and, where tasks are made by a parameter, its predecessor. */
export function operationsOf(maker: Maker, shelf: Shelf, courier: Courier): { readonly [method: string]: Operate } {
  const { house, worker, audience, access, settings } = maker;
  const found = (operation: Operation, turn: Turn) => find(maker, shelf, operation, turn);

  return {
    async 'tasks/get'(operation, turn) {
      const record = await found(operation, turn);
      worker.event('read', record);
      if (turn.session && !isTerminal(record.status)) audience.attend(record.id, turn.session, turn.caller);
      return house.complete(detailed(record) as unknown as JsonObject);
    },

    async 'tasks/update'(operation, turn) {
      const { id } = await found(operation, turn);
      await answer(maker, shelf, id, operation.params.inputResponses as InputResponses);
      return house.complete({});
    },

    async 'tasks/cancel'(operation, turn) {
      const { id } = await found(operation, turn);
      let before: TaskRecord | undefined;
      const record = await shelf.amend(id, found => {
        before = found;
        return isTerminal(found.status) ? undefined : ended(found, house.clock.now(), { status: 'cancelled' });
      });
      if (record === undefined || before === undefined) throw unknown(id);
      if (record !== before) worker.cancelled(record);
      if (turn.dialect.tasks !== 'by-parameter') return house.complete({});
      if (record === before) throw rpcError(INVALID_PARAMS, `Invalid params: the task is ${record.status} already`);
      return house.complete(detailed(record) as unknown as JsonObject);
    },

    async 'tasks/result'(operation, turn) {
      return outcomeOf(maker, shelf, courier, String(operation.params.taskId), turn, () => found(operation, turn));
    },

    async 'tasks/list'({ method, params }, { caller }) {
      if (!offersList(settings, caller)) throw rpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
      const { cursor } = params as { cursor?: string };
      if (cursor !== undefined && !CURSOR.test(cursor)) throw rpcError(INVALID_PARAMS, 'Invalid params: bad cursor');
      const { records, next } = await shelf.list(caller.auth, cursor, PAGE);
      const tasks = records.filter(each => access.isAllowed(each, caller)).map(detailed);
      return house.complete({ tasks, ...(next === undefined ? {} : { nextCursor: next }) });
    },
  };
}

/** Finds a task of this caller. A task of another owner is reported like one that does not exist. */
async function find(
  { worker, access, settings }: Maker,
  shelf: Shelf,
  { params }: Operation,
  { caller }: Turn,
): Promise<TaskRecord> {
  const taskId = String(params.taskId);
  const record = await shelf.get(taskId);
  if (record && access.isOwner(record, caller)) {
    access.checkScopes([record], caller);
    return record;
  }
  if (record) worker.event('not-found', { ...record, caller: caller as TaskRecord['caller'] });
  else settings.onEvent?.({ type: 'not-found', taskId, tool: undefined, ...describeCaller(caller) });
  throw unknown(taskId);
}

function unknown(taskId: string): TenonError {
  return rpcError(INVALID_PARAMS, `Invalid params: there is no task ${taskId.slice(0, 128)}, or no longer`);
}
