import { isObject, stringifyJson, toJsonObject } from '@tenon/base';
import { writeJson } from '@tenon/base/writers';
import type { CallDetail, CallRequestBody, CallView, ErrorView, Json, JsonPart } from '@tenon/console/api';
import { estimateTokens } from '@tenon/host';
import { redactMessage } from '@tenon/testing';
import {
  type Client,
  type JsonObject,
  type JsonRpcMessage,
  loadPeerSchema,
  type Progress,
  type TaskState,
  TenonError,
} from 'tenon';
import { getExitCode } from '../exit-codes.js';
import { createErrorReport } from '../report-failure.js';
import type { ChangeFeed } from './change-feed.js';
import { dropOldest } from './drop-oldest.js';
import { type PartPlace, readJsonPart, sliceText } from './json-part.js';
import { runAsCall } from './message-owner.js';
import { findRequestName, type WireLog } from './wire-log.js';

/** Maximum number of finished calls that are kept. */
const MAX_CALLS = 1000;
/** Maximum number of states of a task that are kept. */
const MAX_TASK_STATES = 100;
/** Maximum number of values of progress that are kept for a test of the call. */
export const MAX_PROGRESS = 20;
/** Maximum number of issues of a result that are kept. */
const MAX_ISSUES = 20;
/** Maximum length of a text of a peer in the view of an error. */
export const MAX_CAUSE = 10_000;
/** Maximum length of the message of a progress or of a state of a task. */
const MAX_STATUS = 1000;

/** Outcome of a call, as its caller got it. */
export interface CallOutcome {
  readonly result: Json | null;
  readonly error: ErrorView | null;
  /** Its first values of progress. */
  readonly progress: readonly Json[];
}

/** Connection for a call. */
export interface CallConnection {
  readonly client: Client;
  readonly connection: number;
  /** Returns the output schema of a tool. */
  findOutputSchema(tool: string): JsonObject | undefined;
}

interface CallRecord {
  view: CallView;
  readonly params: JsonObject;
  readonly abort: AbortController;
  readonly startedAt: number;
  /** Result with its secrets, until a page reads it. */
  result: JsonObject | null;
  error: ErrorView | null;
  /** JSON text of params, result and error without secrets, from the time at which a page reads it. */
  text: string | null;
  /** The first values of its progress, as the caller got them. */
  readonly progress: Progress[];
  tokens: number;
  issues: readonly string[] | null;
  /** Resolves when the call is over. */
  ended: Promise<void>;
}

/** End of a call, with the result as the server sent it. */
type CallEnd = { readonly result: JsonObject } | { readonly error: TenonError };

/** Calls of the pages. A call runs on if all pages are closed. */
export class ConsoleCalls {
  readonly #calls = new Map<number, CallRecord>();
  readonly #feed: ChangeFeed;
  readonly #log: Pick<WireLog, 'findResultText'>;
  readonly #onEnd: (call: CallView) => void;
  #last = 0;

  constructor(feed: ChangeFeed, log: Pick<WireLog, 'findResultText'>, onEnd: (call: CallView) => void) {
    this.#feed = feed;
    this.#log = log;
    this.#onEnd = onEnd;
  }

  /** Starts a call, and returns at once. */
  start(connection: CallConnection, request: CallRequestBody): CallView {
    return this.#start(connection, request).record.view;
  }

  /** Starts a call for an app, which gets the result as its server sent it. It rejects if the call fails. */
  startForApp(
    connection: CallConnection,
    request: CallRequestBody,
  ): { readonly view: CallView; readonly result: Promise<JsonObject> } {
    const { record, end } = this.#start(connection, request);
    const result = end.then(ended => {
      if ('error' in ended) throw ended.error;
      return ended.result;
    });
    return { view: record.view, result };
  }

  #start(connection: CallConnection, { server, method, params, timeout }: CallRequestBody) {
    this.#last += 1;
    const { client } = connection;
    const record: CallRecord = {
      view: createCallView({
        id: this.#last,
        server,
        method,
        name: findRequestName(params) ?? '',
        protocolVersion: client.server.protocolVersion,
        connection: connection.connection,
        startedAt: Date.now(),
      }),
      params: { ...params },
      abort: new AbortController(),
      startedAt: performance.now(),
      result: null,
      error: null,
      text: null,
      progress: [],
      tokens: 0,
      issues: null,
      ended: Promise.resolve(),
    };
    this.#calls.set(record.view.id, record);
    for (const id of dropOldest(this.#calls, MAX_CALLS, ({ view }) => isOpen(view))) this.#feed.delete(`call ${id}`);
    this.#change(record, {});
    const end = this.#run(record, connection, timeout);
    // A record must not keep a result with its secrets.
    record.ended = end.then(() => {});
    return { record, end };
  }

  /** Starts a call again with the same params. */
  repeat(connection: CallConnection, id: number): CallView {
    const { view, params } = this.#require(id);
    return this.start(connection, { server: view.server, method: view.method, params });
  }

  /** Resolves when a call is over, also if it has failed. */
  waitForEnd(id: number): Promise<void> {
    return this.#require(id).ended;
  }

  /** Returns the view of a call. */
  getView(id: number): CallView {
    return this.#require(id).view;
  }

  /** Returns a call with its params and its result. Long values are cut. */
  read(id: number): CallDetail {
    const record = this.#require(id);
    const { view, tokens, issues } = record;
    return { ...view, ...cutCallValues(this.#readText(record), record.error), tokens, issues };
  }

  /** Returns a part of the params, the result or the error of a call. */
  readPart(id: number, place: PartPlace): JsonPart {
    return readJsonPart(this.#readText(this.#require(id)), place);
  }

  /** Returns the params of a call with their secrets, and without them. */
  readParams(id: number): { readonly view: CallView; readonly params: JsonObject; readonly redacted: Json } {
    const { view, params } = this.#require(id);
    return { view, params, redacted: redact(params) };
  }

  /** Returns the outcome of a call without secrets. */
  readOutcome(id: number): CallOutcome {
    const record = this.#require(id);
    const values: unknown = JSON.parse(this.#readText(record));
    const result: unknown = Array.isArray(values) ? values[1] : null;
    return {
      result: isObject(result) ? result : null,
      error: record.error,
      progress: record.progress.map(each => redact(each)),
    };
  }

  cancel(id: number): void {
    this.#require(id).abort.abort(new TenonError('console/cancelled', 'the call was cancelled by the user'));
  }

  /** Returns the open calls of a connection. */
  listRunning(connection: number): number[] {
    const running = [...this.#calls.values()].filter(each => each.view.connection === connection && isOpen(each.view));
    return running.map(({ view }) => view.id);
  }

  /** Counts a message of a call. */
  countMessage(id: number, isRequest: boolean): void {
    const record = this.#calls.get(id);
    if (!record) return;
    const { messages, rounds } = record.view;
    this.#change(record, { messages: messages + 1, rounds: rounds + (isRequest ? 1 : 0) });
  }

  /** Shows if a call waits for the user. */
  setWaiting(id: number, isWaiting: boolean): void {
    const record = this.#calls.get(id);
    if (record && isOpen(record.view)) this.#change(record, { state: isWaiting ? 'waiting' : 'running' });
  }

  async #run(record: CallRecord, { client, findOutputSchema }: CallConnection, timeout?: number): Promise<CallEnd> {
    const { view, params, abort } = record;
    try {
      const result = await runAsCall(view.id, () =>
        client.call(view.method, params, {
          signal: abort.signal,
          onProgress: progress => {
            if (record.progress.length < MAX_PROGRESS) record.progress.push(progress);
            this.#change(record, { progress: cutProgress(progress) });
          },
          onTask: state => this.#addTaskState(record, state),
          ...(timeout === undefined ? {} : { idleTimeout: timeout }),
        }),
      );
      record.tokens = estimateTokens(stringifyJson(result.content ?? result));
      const schema = view.method === 'tools/call' ? findOutputSchema(view.name) : undefined;
      record.issues = schema ? await findIssues(schema, result.structuredContent, result.isError === true) : null;
      record.result = result;
      this.#finish(record, { state: 'done', isError: result.isError === true });
      return { result };
    } catch (thrown) {
      const error = TenonError.from(thrown);
      record.error = createCallError(error);
      this.#finish(record, { state: abort.signal.aborted ? 'cancelled' : 'failed' });
      return { error };
    }
  }

  /** Returns the text of a call. The log has removed the secrets of most results, which takes long for large ones. */
  #readText(record: CallRecord): string {
    const { view, params, result, error, text } = record;
    if (text !== null) return text;
    const logged = result ? this.#log.findResultText(result) : undefined;
    const written = writeCallValues(redact(params), logged ?? writeJson(result && redact(result)), error);
    if (isOpen(view)) return written;
    record.text = written;
    record.result = null;
    return written;
  }

  #addTaskState(record: CallRecord, { taskId, status, statusMessage = '' }: TaskState): void {
    const states = record.view.task?.states ?? [];
    const last = states.at(-1);
    if (last?.status === status && last.message === sliceText(statusMessage, 0, MAX_STATUS)) return;
    const message = sliceText(statusMessage, 0, MAX_STATUS);
    const next = [...states, { time: Date.now(), status, message }].slice(-MAX_TASK_STATES);
    this.#change(record, { task: { taskId, states: next } });
  }

  #finish(record: CallRecord, changes: Pick<CallView, 'state'> & Partial<CallView>): void {
    const took = Math.round((performance.now() - record.startedAt) * 10) / 10;
    this.#change(record, { ...changes, took });
    this.#onEnd(record.view);
  }

  #change(record: CallRecord, changes: Partial<CallView>): void {
    record.view = { ...record.view, ...changes };
    this.#feed.set(`call ${record.view.id}`, { type: 'call', call: record.view });
  }

  #require(id: number): CallRecord {
    const record = this.#calls.get(id);
    if (record) return record;
    throw new TenonError('console/unknown', `call ${id}: not found`, { hint: 'start the call again' });
  }
}

const cutProgress = ({ message, ...progress }: Progress): NonNullable<CallView['progress']> =>
  message === undefined ? progress : { ...progress, message: sliceText(message, 0, MAX_STATUS) };

const isOpen = ({ state }: CallView): boolean => state === 'running' || state === 'waiting';

/** Creates the view of a call that has just started. */
export const createCallView = (
  call: Pick<CallView, 'id' | 'server' | 'connection' | 'method' | 'name' | 'protocolVersion' | 'startedAt'>,
): CallView => ({
  ...call,
  state: 'running',
  took: null,
  messages: 0,
  rounds: 0,
  progress: null,
  task: null,
  isError: false,
});

/** Creates the description of an error that the page shows. The data of the peer are in the message. */
export function createErrorView(error: TenonError): ErrorView {
  const { data: _, ...view } = createCallError(error);
  return view;
}

/** Creates the description of the error of a call, with its data. */
function createCallError(error: TenonError): ErrorView {
  const { code, cause, fix, rpcCode, data } = createErrorReport(error, getExitCode(error));
  const { error: shown } = redactMessage({ jsonrpc: '2.0', id: 0, error: { code: 0, message: cause, data } });
  return {
    code,
    cause: sliceText(shown.message, 0, MAX_CAUSE),
    fix,
    rpcCode,
    ...(shown.data === undefined ? {} : { data: shown.data }),
  };
}

/** Cuts the values in the text of `writeCallValues`. */
export function cutCallValues(
  text: string,
  error: ErrorView | null,
): Pick<CallDetail, 'params' | 'result' | 'error' | 'cuts'> {
  const [params, result, data] = [0, 1, 2].map(position => readJsonPart(text, { path: [position], from: 0 }));
  return {
    params: toJsonObject(params?.value),
    result: isObject(result?.value) ? result.value : null,
    error: error?.data === undefined ? error : { ...error, data: data?.value },
    cuts: [params, result, data].flatMap(part => part?.cuts ?? []),
  };
}

/** Writes the values of a call, of which a page reads parts. The result is JSON text. */
export const writeCallValues = (params: Json, result: string, error: ErrorView | null): string =>
  `[${writeJson(params)},${result},${writeJson(error?.data ?? null)}]`;

function redact(value: object): Json {
  const message: JsonRpcMessage & { readonly result: JsonObject } = { jsonrpc: '2.0', id: 0, result: { ...value } };
  return redactMessage(message).result;
}

/** Lists the issues of a structured result. A result that reports an error needs none. */
async function findIssues(schema: JsonObject, value: unknown, isError: boolean): Promise<readonly string[]> {
  if (value === undefined) return isError ? [] : ['structuredContent: missing, although the tool has an output schema'];
  const checked = (await loadPeerSchema(schema)).check(value);
  if (checked.ok === true) return [];
  if (checked.ok === null) return [`not checked: ${checked.reason}`];
  return checked.issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `structuredContent${path.map(each => `/${String(each)}`).join('')}: ${message}`);
}
