import { stringifyJson } from '@tenon/base';
import type { CallDetail, CallRequestBody, CallView, ErrorView, Json } from '@tenon/console/api';
import { estimateTokens } from '@tenon/host';
import { redactMessage } from '@tenon/testing';
import { type Client, type JsonObject, type JsonRpcMessage, loadPeerSchema, type TaskState, TenonError } from 'tenon';
import { getExitCode } from '../exit-codes.js';
import { createErrorReport } from '../report-failure.js';
import type { ChangeFeed } from './change-feed.js';
import { dropOldest } from './drop-oldest.js';
import { runAsCall } from './message-owner.js';
import { findRequestName } from './wire-log.js';

/** Maximum number of finished calls that are kept. */
const MAX_CALLS = 1000;
/** Maximum number of states of a task that are kept. */
const MAX_TASK_STATES = 100;
/** Maximum number of issues of a result that are kept. */
const MAX_ISSUES = 20;

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
  result: Json | null;
  error: ErrorView | null;
  tokens: number;
  issues: readonly string[] | null;
  /** Resolves when the call is over. */
  ended: Promise<void>;
}

/** Calls of the pages. A call runs on if all pages are closed. */
export class ConsoleCalls {
  readonly #calls = new Map<number, CallRecord>();
  readonly #feed: ChangeFeed;
  readonly #onEnd: (call: CallView) => void;
  #last = 0;

  constructor(feed: ChangeFeed, onEnd: (call: CallView) => void) {
    this.#feed = feed;
    this.#onEnd = onEnd;
  }

  /** Starts a call, and returns at once. */
  start(connection: CallConnection, { server, method, params, timeout }: CallRequestBody): CallView {
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
      tokens: 0,
      issues: null,
      ended: Promise.resolve(),
    };
    this.#calls.set(record.view.id, record);
    for (const id of dropOldest(this.#calls, MAX_CALLS, ({ view }) => isOpen(view))) this.#feed.delete(`call ${id}`);
    this.#change(record, {});
    record.ended = this.#run(record, connection, timeout);
    return record.view;
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

  read(id: number): CallDetail {
    const { view, params, result, error, tokens, issues } = this.#require(id);
    return { ...view, params: redact(params), result, error, tokens, issues };
  }

  /** Returns the params of a call with their secrets, and without them. */
  readParams(id: number): { readonly view: CallView; readonly params: JsonObject; readonly redacted: Json } {
    const { view, params } = this.#require(id);
    return { view, params, redacted: redact(params) };
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

  async #run(record: CallRecord, { client, findOutputSchema }: CallConnection, timeout?: number): Promise<void> {
    const { view, params, abort } = record;
    try {
      const result = await runAsCall(view.id, () =>
        client.call(view.method, params, {
          signal: abort.signal,
          onProgress: progress => this.#change(record, { progress }),
          onTask: state => this.#addTaskState(record, state),
          ...(timeout === undefined ? {} : { idleTimeout: timeout }),
        }),
      );
      record.tokens = estimateTokens(stringifyJson(result.content ?? result));
      const schema = view.method === 'tools/call' ? findOutputSchema(view.name) : undefined;
      record.issues = schema ? await findIssues(schema, result.structuredContent, result.isError === true) : null;
      record.result = redact(result);
      this.#finish(record, { state: 'done', isError: result.isError === true });
    } catch (thrown) {
      const error = TenonError.from(thrown);
      record.error = createErrorView(error);
      this.#finish(record, { state: abort.signal.aborted ? 'cancelled' : 'failed' });
    }
  }

  #addTaskState(record: CallRecord, { taskId, status, statusMessage = '' }: TaskState): void {
    const states = record.view.task?.states ?? [];
    const last = states.at(-1);
    if (last?.status === status && last.message === statusMessage) return;
    const next = [...states, { time: Date.now(), status, message: statusMessage }].slice(-MAX_TASK_STATES);
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

/** Creates the description of an error that the page shows. */
export function createErrorView(error: TenonError): ErrorView {
  const { code, cause, fix, rpcCode, data } = createErrorReport(error, getExitCode(error));
  const { error: shown } = redactMessage({ jsonrpc: '2.0', id: 0, error: { code: 0, message: cause, data } });
  return { code, cause: shown.message, fix, rpcCode, ...(shown.data === undefined ? {} : { data: shown.data }) };
}

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
