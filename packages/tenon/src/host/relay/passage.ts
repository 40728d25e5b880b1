import type { Client } from '../../client/client.js';
import { isGivenUp } from '../../client/tasks/followed.js';
import type { Ask } from '../../conversation/asking/asking.js';
import { checkQuestionMethods } from '../../conversation/asking/check-questions.js';
import { inputRequestOf } from '../../conversation/asking/entered.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { rpcError } from '../../jsonrpc/error.js';
import type { Id, JsonObject } from '../../jsonrpc/message.js';
import type { InputRequest } from '../../model/asking.js';
import { LOGGING_LEVELS } from '../../model/content.js';
import type { Inputs } from '../../model/shapes.js';
import { TASKS } from '../../model/tasks.js';
import { Context } from '../../server/context.js';
import type { Turn } from '../../server/turn.js';
import type { Asked, PutQuestions } from '../guard.js';
import type { InFlight } from '../upstream/asked.js';
import type { Line } from '../upstream/line.js';
import { crossed } from './crossing.js';
import { KNOWS_SERVERS, OF_THIS_HOP } from './hop.js';
import { withinRetryTime } from './retry-time.js';
import { createTaskProgress, type TaskProgress } from './task-progress.js';

/** A call on its way: of which more is known when it is sent. */
interface Flight extends InFlight {
  readonly ids: Set<Id>;
  task: string | undefined;
  readonly progress: TaskProgress;
  /** End of the time for the call and its task. */
  readonly until: number;
  /** Ends the reports of progress on the task. */
  forget?: () => void;
}

/** One request of a caller on its way to one server. */
export interface Passage {
  readonly line: Line;
  readonly method: string;
  /** In the server's own names. */
  readonly params: JsonObject;
  readonly context: Context;
  readonly turn: Turn;
  /** Whether the server may ask the caller meanwhile. */
  readonly mayAsk: boolean;
  /** What makes a task of the call for the caller, once the server has made one of it. */
  readonly depart?: (() => void) | undefined;
  readonly questions: PutQuestions;
}

/** How often a server may ask within one call. */
const MAX_ROUNDS = 32;

/**
 * Has a server answer a request of a caller. Whatever the server asks meanwhile is asked of the caller in the manner of
 * its revision; a result that asks goes to the caller as it is, and the answers come back with the retry.
 */
export async function pass(passage: Passage): Promise<JsonObject> {
  const { line, method, context, turn, mayAsk } = passage;
  const flight: Flight = {
    ids: new Set<Id>(),
    task: undefined,
    progress: createTaskProgress(context),
    until: line.times.clock.now() + (line.times.totalTimeout ?? Number.POSITIVE_INFINITY),
    ask: mayAsk ? callersAsk(passage) : undefined,
    session: turn.session,
    get givenUp() {
      return context.signal.aborted;
    },
    hears: level =>
      turn.logLevel !== undefined && LOGGING_LEVELS.indexOf(level) >= LOGGING_LEVELS.indexOf(turn.logLevel),
    log: (level, data, logger) => context.log(level, data, logger),
  };
  try {
    return await line.during(flight, async client => {
      if (line.audience.session === undefined && turn.logLevel !== undefined) await line.want(turn.logLevel);
      if (mayAsk) await begin(passage);
      return await sent(passage, flight, client);
    });
  } catch (error) {
    throw crossed(error, line, method, turn.dialect, flight.ids.size > 0);
  } finally {
    flight.forget?.();
  }
}

/** Asks the caller, in the words in which the question is put to that one. */
function callersAsk({ line, context, turn, questions }: Passage): Ask {
  const run = Context.runOf(context);
  const to = askedOf(context, turn);
  const ask: Ask = (asked, params, ...rest) => run.ask(asked, questions.put(asked, params, to), ...rest);
  // What became a task is answered for as long as the task is kept.
  const hasTasks = context.client.capabilities.extensions?.[TASKS] !== undefined;
  return turn.dialect.asking === 'by-retry' && !hasTasks ? withinRetryTime(ask, line) : ask;
}

function askedOf(context: Context, { dialect }: Turn): Asked {
  const marked = context.client.capabilities.extensions?.[KNOWS_SERVERS] !== undefined;
  return { bare: dialect.asking === 'by-retry', marked };
}

/**
 * A call is sent once. When it is entered again, because the process that had sent it is gone or has forgotten it,
 * nobody knows how far it has come: unless the server has made a task of it, or has asked and gets the answers.
 */
async function begin({ context, line }: Passage): Promise<void> {
  let first = false;
  await context.step('sent', () => {
    first = true;
  });
  const asks = stepOf(context, 'asks', 0) ?? taskOf(context);
  if (first || Object.keys(context.inputs).length > 0 || asks !== undefined) return;
  throw rpcError(
    INTERNAL_ERROR,
    `The call was on its way to "${line.server}" in a process that no longer knows of it. It may have been carried out, and is not sent again.`,
  );
}

/** The task that the server has made of the call in an earlier entry. */
function taskOf(context: Context): string | undefined {
  return stepOf(context, 'task', 0) as unknown as string | undefined;
}

function stepOf(context: Context, name: string, n: number): JsonObject | undefined {
  return Context.runOf(context).journal?.step(name, n)?.value as JsonObject | undefined;
}

async function sent(passage: Passage, flight: Flight, client: Client): Promise<JsonObject> {
  const { context, depart } = passage;
  const before = taskOf(context);
  if (before !== undefined) return settled(client, before, passage, flight);
  const result = await finalOf(passage, flight, client);
  if (result.resultType !== 'task') return result;
  // At once: the server may ask for the sake of the task right behind it.
  flight.task = result.taskId as string;
  const taskId = await context.step('task', () => result.taskId as string);
  depart?.();
  return settled(client, taskId, passage, flight);
}

/** A result that asks goes to the caller as it is: unless a part of it is answered here. Then all of it is asked from here. */
async function finalOf(passage: Passage, flight: Flight, client: Client): Promise<JsonObject> {
  const { context, questions } = passage;
  let inputs: Inputs = context.inputs;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const known = stepOf(context, 'asks', round);
    const result = known ?? (await requested(passage, flight, client, inputs));
    if (result.resultType !== 'input_required') return result;
    checkQuestionMethods(`server "${passage.line.server}"`, result);
    const requests = Object.entries((result.inputRequests ?? {}) as { readonly [key: string]: InputRequest });
    if (!known && !requests.some(([, { method }]) => questions.isOurs(method))) return shown(result, requests, passage);
    await context.step('asks', () => result);
    const theirs = callersAsk(passage);
    const ask: Ask = (asked, params) => (questions.isOurs(asked) ? questions.answer : theirs)(asked, params);
    const answers = requests.map(async ([key, { method, params = {} }]) => [
      key,
      await ask(method, params as JsonObject),
    ]);
    const { requestState } = result;
    inputs = {
      inputResponses: Object.fromEntries(await Promise.all(answers)),
      ...(typeof requestState === 'string' ? { requestState } : {}),
    };
  }
  throw rpcError(INTERNAL_ERROR, `The server "${passage.line.server}" still asks after ${MAX_ROUNDS} rounds`);
}

function shown(
  result: JsonObject,
  requests: readonly [string, InputRequest][],
  { context, turn, questions }: Passage,
): JsonObject {
  const to = askedOf(context, turn);
  const put = requests.map(([key, { method, params = {} }]) => {
    return [key, inputRequestOf({ method, params: questions.put(method, params as JsonObject, to) })];
  });
  return requests.length === 0 ? result : { ...result, inputRequests: Object.fromEntries(put) };
}

function requested(
  { method, params, context }: Passage,
  flight: Flight,
  client: Client,
  inputs: Inputs,
): Promise<JsonObject> {
  const { inputResponses, requestState } = inputs;
  const answers = {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
  const { _meta: _, inputResponses: __, requestState: ___, task: ____, ...own } = params;
  return client.call(method, { ...own, ...answers } as JsonObject, {
    manual: true,
    signal: context.signal,
    onId: id => void flight.ids.add(id),
    onProgress: progress => flight.progress.report(progress),
    onOutlived: forget => {
      flight.forget = forget;
    },
    // Who wants to hold no connection open meanwhile need not have one held here.
    onHungUp: () => void context.hangUp(),
    meta: passedOn(context.meta),
    relaysMeta: true,
  });
}

/** Waits for the task that the server has made of the call. Whoever gives the call up has it cancelled. */
async function settled(
  client: Client,
  taskId: string,
  { line, params, context }: Passage,
  flight: Flight,
): Promise<JsonObject> {
  flight.task = taskId;
  const handle = client.tasks.resume(taskId, { tool: params.name as never });
  try {
    return (await handle.outcome({
      signal: context.signal,
      totalTimeout: Math.max(flight.until - line.times.clock.now(), 0),
      onTask: state => flight.progress.reportStatus(state),
    })) as unknown as JsonObject;
  } catch (error) {
    if (context.signal.aborted || isGivenUp(error)) void handle.cancel().catch(() => {});
    throw error;
  }
}

function passedOn(meta: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !OF_THIS_HOP.has(key)));
}
