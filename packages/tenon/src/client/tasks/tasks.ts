import type { JsonObject } from '../../jsonrpc/message.js';
import type { CallToolResult } from '../../model/shapes.js';
import { isTerminal, type TaskState } from '../../model/tasks.js';
import type { Caller, Journey } from '../caller.js';
import type { CallOptions } from '../options.js';
import { pages } from '../pages.js';
import { valueOfTool } from '../results.js';
import { isUnknown, unknownTask } from './failures.js';
import { Followed, followed } from './followed.js';
import { checked } from './following.js';
import type { StartCall, StartOptions, TaskHandle, Tasks, WaitOptions } from './handle.js';
import { stateOf } from './sight.js';

/** `client.tasks`. */
export function clientTasks(caller: Caller): Tasks {
  const start: StartCall = (name, input, options) => startTask(caller, name, input, options);
  const resume = (id: string, { tool }: { readonly tool?: string } = {}) =>
    handleOf(caller, new Followed(caller, id, { tool }), tool);
  return {
    start: start as Tasks['start'],
    resume: resume as Tasks['resume'],
    get: (id, options) => getTask(caller, id, options),
    async cancel(id, options) {
      await cancelTask(caller, id, options);
    },
    list: options => listTasks(caller, options),
  };
}

async function startTask(
  caller: Caller,
  name: string,
  input: JsonObject = {},
  options: StartOptions = {},
): Promise<TaskHandle> {
  const { ttl, idleTimeout, onTask } = options;
  const params = { name, arguments: input };
  const journey: Journey = {
    ...caller.journey('tools/call', params, options),
    wish: ttl === undefined ? {} : { ttl },
  };
  const answer = await caller.begin(journey);
  if (answer.resultType !== 'task') return doneHandle(caller, answer as unknown as CallToolResult, name);
  const { forget } = journey;
  return handleOf(caller, followed(caller, answer, { tool: name, idleTimeout, onTask, forget }), name);
}

function handleOf(caller: Caller, task: Followed, tool: string | undefined): TaskHandle {
  const { sight } = task;
  const outcome = async (options: WaitOptions = {}) => (await task.wait(options)) as unknown as CallToolResult;
  const states = ({ signal }: { readonly signal?: AbortSignal } = {}) => task.states(signal);
  return {
    id: sight.taskId,
    get state() {
      return sight.state;
    },
    async result(options: WaitOptions = {}) {
      return valueOfTool(caller, await outcome(options), tool);
    },
    outcome,
    states,
    async cancel() {
      if (sight.ended) return;
      const state = await cancelTask(caller, sight.taskId);
      if (state) sight.see(state);
    },
    [Symbol.asyncIterator]: () => states()[Symbol.asyncIterator](),
  };
}

/** What was answered at once needs no task. */
function doneHandle(caller: Caller, answer: CallToolResult, tool: string): TaskHandle {
  async function* states(): AsyncGenerator<TaskState> {}
  return {
    id: undefined,
    state: undefined,
    result: async () => valueOfTool(caller, answer, tool),
    outcome: async () => answer,
    states,
    cancel: async () => {},
    [Symbol.asyncIterator]: states,
  };
}

async function getTask(caller: Caller, taskId: string, options?: CallOptions): Promise<TaskState> {
  try {
    return stateOf(checked(caller, { taskId }, await caller.call('tasks/get', { taskId }, options)));
  } catch (error) {
    throw isUnknown(error) ? unknownTask(taskId, error) : error;
  }
}

/** Gives the state, where that is what a server answers. */
async function cancelTask(
  caller: Caller,
  taskId: string,
  options?: CallOptions,
): Promise<(JsonObject & TaskState) | undefined> {
  try {
    const answer = await caller.call('tasks/cancel', { taskId }, options);
    return 'taskId' in answer ? (stateOf(answer) as JsonObject & TaskState) : undefined;
  } catch (error) {
    if (!isUnknown(error)) throw error;
    // A task that has ended can not be cancelled: that is no other error than that there is none.
    const state = await getTask(caller, taskId, options);
    if (isTerminal(state.status)) return state as JsonObject & TaskState;
    throw error;
  }
}

async function* listTasks(caller: Caller, options?: CallOptions): AsyncGenerator<TaskState> {
  for await (const task of pages<JsonObject>(caller, 'tasks/list', 'tasks', options)) yield stateOf(task);
}
