import { chooseName, type JsonObject, toJsonObject } from '@tenon/base';
import { writeJson } from '@tenon/base/writers';
import type { CallDetail, CallView, JsonPart, RecordedSession, RecordingView } from '@tenon/console/api';
import { estimateTokens } from '@tenon/host';
import { parseRecording, type RecordedMessage, type RecordedRequest } from '@tenon/testing';
import { TenonError } from 'tenon';
import type { ChangeFeed } from '../change-feed.js';
import { createCallView, cutCallValues, MAX_CAUSE, writeCallValues } from '../console-calls.js';
import { type PartPlace, readJsonPart, sliceText } from '../json-part.js';
import { MessageOwner, runAsCall } from '../message-owner.js';
import { findRequestName, WireLog } from '../wire-log.js';

/** Methods whose requests are calls of a user. */
const CALL_METHODS = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** Maximum number of rows that the page gets at once. */
const MAX_ROWS = 10_000;
/** Maximum number of open recordings. */
const MAX_RECORDINGS = 20;

interface OpenedRecording {
  readonly view: RecordingView;
  readonly log: WireLog;
  readonly calls: ReadonlyMap<number, OpenedCall>;
}

/** A call of a recording with its whole values. */
type OpenedCall = Omit<CallDetail, 'cuts'>;

/** Recordings that are shown beside the live session. */
export class OpenedRecordings {
  readonly #recordings = new Map<string, OpenedRecording>();
  readonly #feed: ChangeFeed;

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /**
   * Opens the text of a recording, and returns its name in addresses.
   *
   * @throws TenonError `recording/invalid`, or `console/request` if too many are open.
   */
  open(wanted: string, text: string): string {
    if (this.#recordings.size >= MAX_RECORDINGS)
      throw new TenonError('console/request', `${MAX_RECORDINGS} recordings are open`, {
        hint: 'start the console again',
      });
    const { messages, servers, isTruncated } = parseRecording(text);
    const plain =
      wanted
        .split(/[\\/]/)
        .at(-1)
        ?.replace(/[^\w.-]/g, '') || 'recording';
    const name = chooseName(plain, '-', used => this.#recordings.has(used));
    const { log, calls } = readMessages(messages);
    const rows = log.readAfter(0, messages.length);
    const view: RecordingView = {
      name,
      servers,
      messages: rows.length,
      calls: calls.size,
      startedAt: rows[0]?.time ?? 0,
      endedAt: rows.at(-1)?.time ?? 0,
      isTruncated,
    };
    this.#recordings.set(name, { view, log, calls });
    this.#feed.set(`recording ${name}`, { type: 'recording', recording: view });
    return name;
  }

  /** Returns the rows after one of them, with the calls that begin there. At most 10,000 of both: a page reads on. */
  read(name: string, after: number): RecordedSession {
    const { view, log, calls } = this.#require(name);
    const rows = log.readAfter(after, MAX_ROWS);
    const ids = new Set(rows.flatMap(({ call }) => call ?? []));
    const found = [...ids].flatMap(id => calls.get(id) ?? []);
    return { recording: view, rows, calls: found.map(toView) };
  }

  getLog(name: string): WireLog {
    return this.#require(name).log;
  }

  /** Returns a call with its params and its result. Long values are cut. */
  readCall(name: string, id: number): CallDetail {
    const call = this.getCall(name, id);
    return { ...call, ...cutCallValues(writeCallValues(call.params, writeJson(call.result), call.error), call.error) };
  }

  /** Returns a part of the params, the result or the error of a call. */
  readPart(name: string, id: number, place: PartPlace): JsonPart {
    const { params, result, error } = this.getCall(name, id);
    return readJsonPart(writeCallValues(params, writeJson(result), error), place);
  }

  /** Returns the logs of all recordings, by name. */
  listLogs(): ReadonlyMap<string, WireLog> {
    return new Map([...this.#recordings].map(([name, { log }]) => [name, log]));
  }

  getCall(name: string, id: number): OpenedCall {
    const call = this.#require(name).calls.get(id);
    if (call) return call;
    throw new TenonError('console/unknown', `call ${id}: not in the recording`);
  }

  #require(name: string): OpenedRecording {
    const found = this.#recordings.get(name);
    if (found) return found;
    throw new TenonError('console/unknown', `recording ${JSON.stringify(name)}: not open`, {
      hint: 'open the file again',
    });
  }
}

const toView = ({ params: _, result: __, error: ___, tokens: ____, issues: _____, ...view }: OpenedCall): CallView =>
  view;

/** Reads messages as the live session does: one row each, and the calls to which they belong. */
function readMessages(messages: readonly RecordedMessage[]) {
  const log = new WireLog(() => {});
  const calls = new Map<number, OpenedCall>();
  const connections = new Map<string, { readonly number: number; readonly owner: MessageOwner }>();
  let lastTime = 0;
  const requests = new Map<string, number>();
  const toKey = ({ dir, server, session, id }: RecordedRequest) => JSON.stringify([dir, server, session, id]);
  for (const { message, dir, server, session, ts, relatedTo, fault, hop, cause, stateDigest } of messages) {
    const from = dir === 'send' ? 'client' : 'server';
    const key = JSON.stringify([server, session]);
    const number = connections.get(key)?.number ?? connections.size + 1;
    const listOpen = () => [...calls.values()].filter(each => each.took === null).map(({ id }) => id);
    const owner = connections.get(key)?.owner ?? new MessageOwner(log, number, listOpen);
    connections.set(key, { number, owner });
    // A recording may lack times.
    const parsed = Date.parse(ts);
    const time = Number.isNaN(parsed) ? lastTime : parsed;
    lastTime = time;
    const links = { relatedTo, hop, cause: cause && requests.get(toKey(cause)), stateDigest };
    const add = (found: number | undefined) =>
      log.add({ server, connection: number, from, message, call: found, ...links, fault, time });
    const request: { readonly [K in 'id' | 'method' | 'params' | 'result' | 'error']?: unknown } = message;
    const own =
      from === 'client' && typeof request.method === 'string' && CALL_METHODS.has(request.method)
        ? findOrAddCall(calls, server, number, request.method, toJsonObject(request.params), time)
        : undefined;
    let call: number | undefined;
    const find = () => {
      call = owner.find(from, message, relatedTo);
    };
    if (own === undefined) find();
    else void runAsCall(own, async () => find());
    const row = add(call);
    if (row.kind === 'request' && row.id !== undefined)
      requests.set(toKey({ dir, server, session, id: row.id }), row.seq);
    const detail = row.call === undefined ? undefined : calls.get(row.call);
    if (detail) calls.set(detail.id, addMessage(detail, row.kind, from, request, time, row.version));
  }
  return { log, calls };
}

/** Finds the call that a request continues with the input that the server has requested, or adds one. */
function findOrAddCall(
  calls: Map<number, OpenedCall>,
  server: string,
  connection: number,
  method: string,
  params: JsonObject,
  time: number,
): number {
  const name = findRequestName(params) ?? '';
  if ('inputResponses' in params || 'requestState' in params) {
    const waiting = [...calls.values()].findLast(
      each => each.state === 'waiting' && each.server === server && each.method === method && each.name === name,
    );
    if (waiting) return waiting.id;
  }
  const { _meta: _, ...shown } = params;
  const id = calls.size + 1;
  calls.set(id, {
    ...createCallView({ id, server, connection, method, name, protocolVersion: '', startedAt: time }),
    params: shown,
    result: null,
    error: null,
    tokens: 0,
    issues: null,
  });
  return id;
}

function addMessage(
  call: OpenedCall,
  kind: string,
  from: string,
  message: { readonly result?: unknown; readonly error?: unknown },
  time: number,
  version: string | undefined,
): OpenedCall {
  const counted: OpenedCall = {
    ...call,
    messages: call.messages + 1,
    rounds: call.rounds + (kind === 'request' && from === 'client' ? 1 : 0),
    protocolVersion: call.protocolVersion || (version ?? ''),
  };
  if (from === 'client' || (kind !== 'result' && kind !== 'error')) return counted;
  const took = time - call.startedAt;
  if (kind === 'error') {
    const { code, message: cause } = toJsonObject(message.error);
    const error = {
      code: 'rpc/error',
      cause: sliceText(String(cause ?? ''), 0, MAX_CAUSE),
      ...(typeof code === 'number' ? { rpcCode: code } : {}),
    };
    return { ...counted, state: 'failed', took, error };
  }
  const result = toJsonObject(message.result);
  if (result.resultType === 'input_required') return { ...counted, state: 'waiting' };
  const tokens = estimateTokens(JSON.stringify(result.content ?? result));
  return { ...counted, state: 'done', took, result, tokens, isError: result.isError === true };
}
