import { missingCapability } from '../../conversation/capability.js';
import type { Clock } from '../../jsonrpc/clock.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import { rpcError, type TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { within } from '../../model/check.js';
import { TASKS, type TaskParams, taskParams } from '../../model/tasks.js';
import type { ToolCall } from '../../server/extension.js';
import type { TaskRules } from '../../server/tool.js';
import type { Arm } from './making.js';
import type { Workshop } from './workshop.js';

/** Serves a call as a task where that is wanted; undefined where it is not. */
export function start(
  clock: Clock,
  workshop: () => Promise<Workshop>,
  call: ToolCall,
): Promise<JsonObject> | undefined {
  const { rules, turn } = call;
  if (turn.dialect.tasks === 'by-parameter') return startAsked(workshop, call);
  if (rules === undefined) return undefined;
  const has = turn.dialect.tasks === 'by-extension' && turn.caller.capabilities.extensions?.[TASKS] !== undefined;
  if (!has && rules.support === 'required') throw onlyAsTask(call);
  if (!has) return undefined;
  const { after = 0, departs } = rules;
  const create = () => workshop().then(each => each.create(call, rules));
  const promote = (arm: Arm) => workshop().then(each => each.promote(call, rules, arm));
  if (call.run.depart === undefined) return departs ? undefined : create();
  if (departs) return promote(depart => whenTold(departs, depart));
  return after > 0 ? promote(depart => clock.after(after, depart)) : create();
}

/** Where the client says whether it wants a task. */
function startAsked(workshop: () => Promise<Workshop>, call: ToolCall): Promise<JsonObject> | undefined {
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
  const wanted = { ...rules, ...asked(task) };
  return workshop().then(each => each.create(call, wanted));
}

function asked({ ttl }: TaskParams): Pick<TaskRules, 'ttl'> {
  return ttl === undefined || ttl < 0 ? {} : { ttl };
}

function onlyAsTask({ operation, turn }: ToolCall): TenonError {
  const { dialect } = turn;
  if (dialect.tasks === 'by-extension') return missingCapability(dialect, { extensions: { [TASKS]: {} } });
  return rpcError(METHOD_NOT_FOUND, `Tool ${operation.name} runs as a task only`);
}

function whenTold(departs: (depart: () => void) => void, depart: () => void): () => void {
  departs(depart);
  return () => {};
}
