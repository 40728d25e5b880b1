import { INVALID_PARAMS, METHOD_NOT_FOUND, rpcError, type TenonError } from '@tenon/base';
import { isTerminal, type TaskMethods } from '../../protocol/tasks.js';
import type { MethodHandler } from '../../server/extension.js';
import type { RequestContext } from '../../server/request-context.js';
import type { TaskInputDelivery } from './input-delivery.js';
import { canListTasks, describeCaller } from './options.js';
import { recordAnswers } from './record-answers.js';
import type { TaskRuntime } from './task-creation.js';
import { endRecord, type TaskRecord, toDetailedTask } from './task-record.js';
import type { TaskStore } from './task-store.js';
import { waitForResult } from './wait-for-result.js';

const PAGE_SIZE = 100;
const CURSOR = /^\d{15}-[\w-]{1,64}$/;

export type TaskMethod = keyof TaskMethods;
export type TaskMethodHandlers = { readonly [M in TaskMethod]: MethodHandler<M> };

/**
 * Creates the handlers of the task methods.
 * @see https://modelcontextprotocol.io/extensions/tasks/overview
 */
export function createMethodHandlers(
  runtime: TaskRuntime,
  store: TaskStore,
  delivery: TaskInputDelivery,
): TaskMethodHandlers {
  const { host, worker, subscribers, access, settings } = runtime;

  /** Finds a task of this caller. A task of another owner is reported as not found. */
  const findRecord = async (
    { taskId }: { readonly taskId: string },
    { caller }: RequestContext,
  ): Promise<TaskRecord> => {
    const record = await store.get(taskId);
    if (record && access.isOwner(record, caller)) {
      access.checkScopes([record], caller);
      return record;
    }
    if (record) worker.emitEvent('not-found', { ...record, caller: caller as TaskRecord['caller'] });
    else settings.onEvent?.({ type: 'not-found', taskId, tool: undefined, ...describeCaller(caller) });
    throw createNotFoundError(taskId);
  };

  return {
    async 'tasks/get'({ params, requestContext }) {
      const record = await findRecord(params, requestContext);
      worker.emitEvent('read', record);
      if (requestContext.session && !isTerminal(record.status))
        subscribers.subscribeSession(record.id, requestContext.session, requestContext.caller);
      return host.finalizeResult({ ...toDetailedTask(record, host.clock.now()) });
    },

    async 'tasks/update'({ params, requestContext }) {
      const { id } = await findRecord(params, requestContext);
      await recordAnswers(runtime, store, id, params.inputResponses);
      return host.finalizeResult({});
    },

    async 'tasks/cancel'({ params, requestContext }) {
      const { id } = await findRecord(params, requestContext);
      let before: TaskRecord | undefined;
      const record = await store.updateIfPresent(id, stored => {
        before = stored;
        return isTerminal(stored.status) ? undefined : endRecord(stored, host.clock.now(), { status: 'cancelled' });
      });
      if (record === undefined || before === undefined) throw createNotFoundError(id);
      if (record !== before) worker.cancelJob(record);
      if (requestContext.dialect.tasks !== 'by-parameter') return host.finalizeResult({});
      if (record === before) throw rpcError(INVALID_PARAMS, `Invalid params: the task is already ${record.status}`);
      return host.finalizeResult({ ...toDetailedTask(record, host.clock.now()) });
    },

    async 'tasks/result'({ params, requestContext }) {
      return waitForResult(runtime, store, delivery, params.taskId, requestContext, () =>
        findRecord(params, requestContext),
      );
    },

    async 'tasks/list'({ method, params, requestContext: { caller } }) {
      if (!canListTasks(settings, caller)) throw rpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
      const { cursor } = params;
      if (cursor !== undefined && !CURSOR.test(cursor))
        throw rpcError(INVALID_PARAMS, 'Invalid params: unknown cursor. List again without a cursor');
      const { records, next } = await store.list(caller.auth, cursor, PAGE_SIZE);
      const now = host.clock.now();
      const tasks = records.filter(each => access.isAllowed(each, caller)).map(each => toDetailedTask(each, now));
      return host.finalizeResult({ tasks, ...(next === undefined ? {} : { nextCursor: next }) });
    },
  };
}

function createNotFoundError(taskId: string): TenonError {
  return rpcError(
    INVALID_PARAMS,
    `Invalid params: task not found: ${taskId.slice(0, 128)}. It has expired or is not a task of this caller`,
  );
}
