import { TenonError } from '../../jsonrpc/error.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { TASKS, type TaskParams } from '../../model/tasks.js';
import { capabilitiesOf } from '../answering.js';
import type { Caller } from '../caller.js';
import type { Sending } from '../errand.js';
import type { Link } from '../link.js';
import type { ClientOptions } from '../options.js';
import { unlessAborted } from '../questions.js';

/** Whether servers are told that they may answer by tasks. */
export function declaresTasks(options: ClientOptions): boolean {
  return Object.hasOwn(capabilitiesOf(options).extensions ?? {}, TASKS);
}

/** Whether it is the client that makes tasks of the calls of this server's tools. */
export function choosesTasks(link: Link): boolean {
  return link.dialect.tasks === 'by-parameter' && link.offers('tasks.requests.tools.call');
}

/**
 * The words by which a call becomes a task: those of the caller where the tool leaves it the choice, some wherever the
 * tool runs in no other way. https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation
 */
export function taskWish(
  { options, toolbox }: Caller,
  link: Link,
  { name, task }: JsonObject,
  wish: TaskParams | undefined,
): TaskParams | undefined {
  if (options.tasks === false || !choosesTasks(link)) return undefined;
  const support = toolbox.get(name as string)?.tool.execution?.taskSupport;
  const own = wish ?? (task as TaskParams | undefined);
  if (support === 'required') return own ?? {};
  return support === 'optional' ? own : undefined;
}

/**
 * Sends a call that becomes a task. Giving it up early cancels the task as soon as its name is known: the request itself
 * can not be cancelled.
 */
export async function asTask(caller: Caller, link: Link, params: JsonObject, sending: Sending): Promise<JsonObject> {
  const { signal, ...rest } = sending;
  if (signal?.aborted)
    throw new TenonError('call/aborted', 'the caller gave the call up', { peer: link.peer, cause: signal.reason });
  const making = link.call('tools/call', params, { ...rest, quiet: true });
  try {
    return await unlessAborted(making, signal, link.peer);
  } catch (error) {
    if (signal?.aborted) void making.then(({ taskId }) => quietlyCancel(caller, taskId)).catch(() => {});
    throw error;
  }
}

/** Nobody waits for what comes of it; that it could not be said is reported. */
export async function quietlyCancel(caller: Caller, taskId: unknown): Promise<void> {
  if (typeof taskId !== 'string' || !cancels(caller)) return;
  try {
    await caller.ask('tasks/cancel', { taskId }, {});
  } catch (error) {
    if (TenonError.is(error) && error.rpc === undefined) caller.emitter.emit('problem', error);
  }
}

function cancels({ lifeline }: Caller): boolean {
  return lifeline.last.dialect.tasks === 'by-extension' || lifeline.last.offers('tasks.cancel');
}
