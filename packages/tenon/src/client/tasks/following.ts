import { TenonError } from '../../jsonrpc/error.js';
import { isObject, type JsonObject } from '../../jsonrpc/message.js';
import { RELATED_TASK } from '../../model/meta.js';
import { detailedTask, isTerminal, type TaskState } from '../../model/tasks.js';
import type { PausingClock } from '../allowance.js';
import type { Caller } from '../caller.js';
import type { CallOptions } from '../options.js';
import { fitting, invalid, requireSound } from '../results.js';
import { Bell } from './bell.js';
import {
  cancelledTask,
  clientClosed,
  expiredTask,
  failedTask,
  isUnknown,
  outOfReach,
  passes,
  unknownTask,
} from './failures.js';
import { OpenQuestions } from './open-questions.js';
import type { Sight } from './sight.js';

const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;
/** How often in a row the server may be out of reach: some eight minutes. */
const MAX_FAILURES = 20;

/** One following of a task, until it ends or nobody wants to know any longer. */
export interface Course {
  readonly caller: Caller;
  readonly sight: Sight;
  /** The tool that was called, where it is known. */
  readonly tool: string | undefined;
  readonly idleTimeout: number | undefined;
  /** Stands still while somebody is asked. */
  readonly clock: PausingClock;
  /** Nobody waits for the task any longer. */
  readonly signal: AbortSignal;
}

/** Waits for the end of a task, and sees to what it asks meanwhile. Gives what the call would have been answered with. */
export async function follow(course: Course): Promise<JsonObject> {
  const { caller, sight, clock, signal } = course;
  const bell = new Bell(caller.clock, signal);
  const questions = new OpenQuestions({
    caller,
    taskId: sight.taskId,
    clock,
    deliver: answers => deliver(course, bell, answers),
    failed: error => bell.fail(error),
  });
  const off = [
    caller.emitter.on('notification', ({ method, params }) => {
      if (/^notifications\/tasks(\/status)?$/.test(method) && sight.overhear(params)) bell.ring();
    }),
    caller.emitter.on('state', state => state === 'closed' && bell.fail(clientClosed(sight.taskId))),
  ];
  try {
    if (course.tool !== undefined) await caller.learnTools(await caller.lifeline.link(), {});
    return fit(course, await ended(course, questions, bell));
  } finally {
    questions.close();
    for (const each of off) each();
  }
}

async function ended(course: Course, questions: OpenQuestions, bell: Bell): Promise<JsonObject> {
  const { caller, sight } = course;
  // What makes a task tells none of its payload.
  if (sight.state === undefined || lacksPayload(sight.state, caller)) await look(course, bell);
  let next = caller.clock.now() + sight.interval;
  for (;;) {
    const state = sight.state as TaskState;
    if (isTerminal(state.status)) return outcome(course, bell, state);
    if (sight.left <= 0) throw expiredTask(state, caller.lifeline.last.peer);
    if (state.status !== 'input_required') questions.list({});
    else if (isByExtension(caller)) questions.list(state.inputRequests ?? {});
    else return blocked(course, bell);
    const now = caller.clock.now();
    if (await bell.rung(Math.min(next - now, Math.max(sight.left, 0)))) continue;
    await look(course, bell);
    next = caller.clock.now() + sight.interval;
  }
}

/** Asks how the task stands. */
async function look(course: Course, bell: Bell): Promise<void> {
  const { caller, sight } = course;
  const params = { taskId: sight.taskId };
  // What is resumed may be a task of a server that has none at all.
  const first = sight.state === undefined;
  const send = (options: CallOptions) =>
    first ? caller.call('tasks/get', params, options) : caller.ask('tasks/get', params, options);
  sight.see(checked(caller, sight, await knowing(sight, () => steadily(course, bell, send))));
}

/** The server has to say all there is to know of it. */
export function checked(caller: Caller, { taskId }: { readonly taskId: string }, told: JsonObject): JsonObject {
  const link = caller.lifeline.last;
  const problem = isByExtension(caller) ? detailedTask(told) : undefined;
  if (problem) throw invalid(link, 'tasks/get', `the task is malformed: ${problem}`);
  if (told.taskId !== taskId) throw invalid(link, 'tasks/get', 'the answer tells of another task');
  return told;
}

/** What is asked in vain is asked again: a task outlives the connection. */
async function steadily(
  course: Course,
  bell: Bell,
  send: (options: CallOptions) => Promise<JsonObject>,
): Promise<JsonObject> {
  const { caller, sight, idleTimeout } = course;
  let pause = FIRST_PAUSE;
  for (let failures = 1; ; failures++) {
    try {
      return await bell.unlessFailed(send(idleTimeout === undefined ? {} : { idleTimeout }));
    } catch (error) {
      if (!passes(caller, error)) throw error;
      if (sight.state && sight.left <= 0) throw expiredTask(sight.state, caller.lifeline.last.peer);
      if (failures === MAX_FAILURES) throw outOfReach(sight.taskId, error, failures);
      caller.emitter.emit('problem', error);
      await bell.pause(pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }
}

async function deliver(course: Course, bell: Bell, inputResponses: JsonObject): Promise<void> {
  const { caller, sight } = course;
  const params = { taskId: sight.taskId, inputResponses };
  try {
    await steadily(course, bell, options => caller.ask('tasks/update', params, options));
  } catch (error) {
    if (!isUnknown(error)) throw error;
    // What has ended meanwhile takes no more answers.
    await look(course, bell);
    if (!sight.ended) throw error;
    bell.ring();
  }
}

/** The payload of an ended task. */
async function outcome(course: Course, bell: Bell, state: TaskState): Promise<JsonObject> {
  const { caller, sight } = course;
  const { peer } = caller.lifeline.last;
  if (state.status === 'cancelled') throw cancelledTask(state, peer);
  if (isByExtension(caller)) {
    if (state.status === 'failed') throw failedTask(state, peer);
    return state.result as JsonObject;
  }
  const fetching = () => steadily(course, bell, options => payload(course, options));
  // Of a task that failed the error is its own, whatever its code.
  return state.status === 'failed' ? fetching() : knowing(sight, fetching);
}

/** Where questions come as requests, they come to who waits for the result. */
async function blocked(course: Course, bell: Bell): Promise<JsonObject> {
  const { caller, sight } = course;
  try {
    const patient = { idleTimeout: Number.POSITIVE_INFINITY, totalTimeout: sight.left };
    const result = await steadily(course, bell, () => payload(course, patient));
    const { statusMessage: _, ...rest } = sight.state as TaskState;
    sight.see({ ...rest, status: result.isError ? 'failed' : 'completed' });
    return result;
  } catch (error) {
    if (!TenonError.is(error) || error.rpc === undefined) throw error;
    await look(course, bell);
    if (sight.state?.status === 'cancelled') throw cancelledTask(sight.state, caller.lifeline.last.peer);
    throw error;
  }
}

/** What the call would have been answered with, without what says whose result it is. */
async function payload({ caller, sight, tool, signal }: Course, options: CallOptions): Promise<JsonObject> {
  const result = await caller.ask('tasks/result', { taskId: sight.taskId }, { ...options, signal }, tool);
  if (!isObject(result._meta) || !(RELATED_TASK in result._meta)) return result;
  const { _meta, ...rest } = result;
  const { [RELATED_TASK]: _, ...meta } = _meta as JsonObject;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

function fit({ caller, tool }: Course, result: JsonObject): JsonObject {
  const link = caller.lifeline.last;
  return fitting(caller, link, requireSound(caller, link, 'tools/call', result, 'the result of the task'), tool);
}

async function knowing<T>({ taskId }: Sight, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isUnknown(error) ? unknownTask(taskId, error) : error;
  }
}

function lacksPayload(state: TaskState, caller: Caller): boolean {
  return isByExtension(caller) && state.status !== 'working' && detailedTask(state) !== undefined;
}

function isByExtension({ lifeline }: Caller): boolean {
  return lifeline.last.dialect.tasks === 'by-extension';
}
