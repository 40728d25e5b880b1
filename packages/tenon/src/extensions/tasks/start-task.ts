import {
  type Clock,
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  METHOD_NOT_FOUND,
  prependPath,
  rpcError,
  type TenonError,
} from '@tenon/base';
import { createMissingCapabilityError } from '../../protocol/missing-capabilities.js';
import { TASKS, type TaskParams, taskParams } from '../../protocol/tasks.js';
import type { ToolCall } from '../../server/extension.js';
import type { PromotionTrigger } from './task-creation.js';
import type { TaskService } from './task-service.js';

/** Handles a call as a task, if the tool or the client requires it. Returns `undefined` otherwise. */
export function startAsTask(
  clock: Clock,
  getService: () => Promise<TaskService>,
  call: ToolCall,
): Promise<JsonObject> | undefined {
  const { taskOptions, requestContext } = call;
  if (requestContext.dialect.tasks === 'by-parameter') return startRequestedTask(getService, call);
  if (taskOptions === undefined) return undefined;
  const hasExtension =
    requestContext.dialect.tasks === 'by-extension' &&
    requestContext.caller.capabilities.extensions?.[TASKS] !== undefined;
  if (!hasExtension && taskOptions.support === 'required') throw createTaskRequiredError(call);
  if (!hasExtension) return undefined;
  const { after = 0, setMoveToTask } = taskOptions;
  const create = () => getService().then(each => each.create(call, taskOptions));
  const promote = (arm: PromotionTrigger) => getService().then(each => each.promote(call, taskOptions, arm));
  if (call.run.redirectTo === undefined) return setMoveToTask ? undefined : create();
  if (setMoveToTask)
    return promote(depart => {
      setMoveToTask(depart);
      return () => {};
    });
  return after > 0 ? promote(depart => clock.after(after, depart)) : create();
}

/** Handles a call as a task on versions where the client requests tasks. */
function startRequestedTask(getService: () => Promise<TaskService>, call: ToolCall): Promise<JsonObject> | undefined {
  const { taskOptions } = call;
  const { task } = call.operation.params;
  if (task === undefined) {
    if (taskOptions?.support === 'required') throw createTaskRequiredError(call);
    return undefined;
  }
  if (taskOptions === undefined)
    throw rpcError(METHOD_NOT_FOUND, `Tool ${call.operation.name} does not support tasks. Call it without "task"`);
  const issue = taskParams(task);
  if (issue || !isObject(task))
    throw rpcError(INVALID_PARAMS, `Invalid params: ${issue && prependPath('/task', issue)}`);
  const { ttl }: TaskParams = task;
  const options = { ...taskOptions, ...(ttl === undefined ? {} : { ttl }) };
  return getService().then(each => each.create(call, options));
}

function createTaskRequiredError({ operation, requestContext }: ToolCall): TenonError {
  const { dialect } = requestContext;
  if (dialect.tasks === 'by-extension') return createMissingCapabilityError(dialect, { extensions: { [TASKS]: {} } });
  return rpcError(METHOD_NOT_FOUND, `Tool ${operation.name} requires a task. Call it with "task"`);
}
