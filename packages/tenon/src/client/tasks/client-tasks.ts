import { checkString, type JsonObject, requireArgument, requireKnownOptions, TenonError } from '@tenon/base';
import { toResult } from '../../protocol/methods.js';
import type { CallToolResult } from '../../protocol/params-and-results.js';
import { checkTtl, isTerminal, type TaskState } from '../../protocol/tasks.js';
import type { CallOptions } from '../call-options.js';
import type { CallContext, CallState } from '../calls/call-context.js';
import { listAll } from '../calls/pages.js';
import { getToolValue } from '../calls/results.js';
import { createUnknownTaskError, isUnknownTask } from './task-errors.js';
import type { StartCall, StartOptions, TaskHandle, Tasks, WaitOptions } from './task-handle.js';
import { toTaskState } from './task-snapshot.js';
import { checkTask } from './task-tracking.js';
import { TrackedTask, trackTask } from './tracked-task.js';

/** Creates the object `client.tasks`, which starts and resumes tasks. */
export function createClientTasks(pipeline: CallContext): Tasks {
  const start: StartCall = (name, input, options) => startTask(pipeline, name, input, options);
  const resume = (id: string, options: { readonly tool?: string } = {}) => {
    requireKnownOptions('resume', options, { tool: true });
    const { tool } = options;
    return createHandle(pipeline, new TrackedTask(pipeline, requireTaskId(id), { tool }), tool);
  };
  return {
    start: start as Tasks['start'],
    resume: resume as Tasks['resume'],
    get: async (id, options) => getTask(pipeline, requireTaskId(id), options),
    async cancel(id, options) {
      await cancelTask(pipeline, requireTaskId(id), options);
    },
    async *list(options) {
      for await (const task of listAll<JsonObject>(pipeline, 'tasks/list', 'tasks', options)) yield toTaskState(task);
    },
  };
}

/** Throws for a missing ID. A handle of a call that has not become a task has none. */
function requireTaskId(id: string): string {
  requireArgument('the task ID', id, checkString);
  return id;
}

async function startTask(
  pipeline: CallContext,
  name: string,
  input: JsonObject = {},
  options: StartOptions = {},
): Promise<TaskHandle> {
  const { ttl, ...callOptions } = options;
  const { idleTimeout, onTask } = callOptions;
  const params = { name, arguments: input };
  if (ttl !== undefined) {
    const { dialect, peer } = await pipeline.connections.getConnection();
    if (dialect.tasks === 'by-extension')
      throw new TenonError('task/ttl', 'a client cannot choose the lifetime of a task in this protocol version', {
        peer,
        method: 'tools/call',
        expected: 'no `ttl`, because the server decides how long it keeps a task',
        hint: 'remove `ttl`, and read the lifetime from `state.ttlMs` of the handle',
      });
    requireArgument('`ttl` of tasks.start', ttl, checkTtl);
  }
  const callState: CallState = {
    ...pipeline.createCallState('tools/call', params, callOptions),
    taskParams: ttl === undefined ? {} : { ttl },
  };
  const answer = await pipeline.begin(callState);
  if (answer.resultType !== 'task') return createDoneHandle(pipeline, toResult('tools/call', answer), name);
  const { stopProgress } = callState;
  return createHandle(pipeline, trackTask(pipeline, answer, { tool: name, idleTimeout, onTask, stopProgress }), name);
}

function createHandle(pipeline: CallContext, task: TrackedTask, tool: string | undefined): TaskHandle {
  const { snapshot } = task;
  const waitForToolResult = async (options: WaitOptions = {}) => {
    requireWaitOptions(options);
    return toResult('tools/call', await task.wait(options));
  };
  const watchStates = (options: StatesOptions = {}) => {
    requireStatesOptions(options);
    return task.states(options.signal);
  };
  return {
    id: snapshot.taskId,
    get state() {
      return snapshot.state;
    },
    async result(options: WaitOptions = {}) {
      return getToolValue(pipeline, await waitForToolResult(options), tool);
    },
    toolResult: waitForToolResult,
    states: watchStates,
    async cancel() {
      if (snapshot.ended) return;
      const state = await cancelTask(pipeline, snapshot.taskId);
      if (state) snapshot.update(state);
    },
    [Symbol.asyncIterator]: () => watchStates()[Symbol.asyncIterator](),
  };
}

type StatesOptions = { readonly signal?: AbortSignal | undefined };

const requireStatesOptions = (options: StatesOptions): void => requireKnownOptions('states', options, { signal: true });

const requireWaitOptions = (options: WaitOptions): void =>
  requireKnownOptions('result', options, { signal: true, onTask: true, idleTimeout: true, totalTimeout: true });

/** Creates the handle of a call that got its result without a task. */
function createDoneHandle(pipeline: CallContext, answer: CallToolResult, tool: string): TaskHandle {
  async function* watchNothing(): AsyncGenerator<TaskState> {}
  return {
    id: undefined,
    state: undefined,
    async result(options: WaitOptions = {}) {
      requireWaitOptions(options);
      return getToolValue(pipeline, answer, tool);
    },
    async toolResult(options: WaitOptions = {}) {
      requireWaitOptions(options);
      return answer;
    },
    states(options: StatesOptions = {}) {
      requireStatesOptions(options);
      return watchNothing();
    },
    cancel: async () => {},
    [Symbol.asyncIterator]: watchNothing,
  };
}

async function getTask(pipeline: CallContext, taskId: string, options?: CallOptions): Promise<TaskState> {
  try {
    return toTaskState(checkTask(pipeline, { taskId }, await pipeline.call('tasks/get', { taskId }, options)));
  } catch (error) {
    throw isUnknownTask(error) ? createUnknownTaskError(taskId, error) : error;
  }
}

/** Requests the cancellation of a task. Returns the state of the task if the server sends it. */
async function cancelTask(
  pipeline: CallContext,
  taskId: string,
  options?: CallOptions,
): Promise<(JsonObject & TaskState) | undefined> {
  try {
    const answer = await pipeline.call('tasks/cancel', { taskId }, options);
    return 'taskId' in answer ? (toTaskState(answer) as JsonObject & TaskState) : undefined;
  } catch (error) {
    if (!isUnknownTask(error)) throw error;
    // Servers use the same error for a task that has ended and for an unknown task.
    const state = await getTask(pipeline, taskId, options);
    if (isTerminal(state.status)) return state as JsonObject & TaskState;
    throw error;
  }
}
