import { isObject, type JsonObject, REDACTED, stringifyJson } from '@tenon/base';
import type {
  CallCopy,
  CallView,
  InputResponse,
  MessageView,
  RecordingExport,
  SearchResult,
  TestExport,
} from '@tenon/console/api';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { splitLine } from '../completion/split-line.js';
import { parseTarget, type TargetReference } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import type { ComparedCalls } from './compared-calls.js';
import type { ConsoleCalls } from './console-calls.js';
import type { ConsoleServers } from './console-servers.js';
import type { HttpLog } from './http-log.js';
import type { InputInbox } from './input-inbox.js';
import { findConfigFormat, type PastedConfigs } from './pasted-configs.js';
import type { OpenedRecordings } from './recording/opened-recordings.js';
import { FEATURES } from './server-features.js';
import type { Subscriptions } from './subscriptions.js';
import type { WireLog } from './wire-log.js';

/** Maximum number of texts of one search. */
const MAX_TEXTS = 20;

/** Parts of a console that the API reads and changes. */
export interface ConsoleParts {
  readonly context: Pick<CliContext, 'screen'>;
  readonly cwd: string;
  readonly servers: ConsoleServers;
  readonly calls: ConsoleCalls;
  readonly comparisons: ComparedCalls;
  readonly subscriptions: Subscriptions;
  readonly inbox: InputInbox;
  readonly log: WireLog;
  readonly http: HttpLog;
  readonly configs: PastedConfigs;
  readonly recordings: OpenedRecordings;
}

/** A request of the page. */
export interface ApiRequest {
  readonly method: string;
  /** Parts of the path after `/api/`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: JsonObject;
}

/**
 * Responds to a request of the page. The events are a stream, and are sent elsewhere.
 *
 * @throws TenonError `console/not-found` for an unknown address, and the errors of the parts.
 */
export async function respondToPage(parts: ConsoleParts, request: ApiRequest): Promise<unknown> {
  const { servers, calls, comparisons, subscriptions, inbox, log, http, recordings } = parts;
  const { method, path, query, body } = request;
  const [kind = '', name, action] = path;
  switch (`${method} ${kind}${name === undefined ? '' : '/…'}${action === undefined ? '' : `/${action}`}`) {
    case 'POST servers': {
      const { target } = body;
      if (typeof target !== 'string' || target.trim() === '')
        throw createUsageError('target: expected a text', 'enter a URL, a command, a path or a name');
      return { name: await addServers(parts, target.trim(), body) };
    }
    case 'GET servers/…':
      return servers.readListing(name ?? '');
    case 'DELETE servers/…':
      await servers.remove(name ?? '');
      return {};
    case 'POST servers/…/reconnect': {
      await servers.reconnect(name ?? '', readVersion(body));
      return {};
    }
    case 'GET servers/…/doctor':
      return servers.examine(name ?? '');
    case 'POST servers/…/subscribe':
      return subscriptions.start(servers.getConnection(name ?? '').client, name ?? '', body);
    case 'DELETE subscriptions/…':
      subscriptions.stop(Number(name));
      return {};
    case 'GET wire/…': {
      const message = readMessage(log, name, query);
      return { ...message, http: http.read(message.row.request ?? message.row.seq) };
    }
    case 'POST wire/…/reveal':
      return { value: reveal(parts, Number(name), body) };
    case 'POST wire/…':
      return searchTexts(log, body);
    case 'POST recordings':
      return exportMessages(log, body);
    case 'POST recordings/…':
      return { name: openRecording(parts, body) };
    case 'GET recordings/…':
      return recordings.read(name ?? '');
    case 'GET recordings/…/wire':
      return readMessage(recordings.getLog(name ?? ''), path[3], query);
    case 'POST recordings/…/wire':
      return searchTexts(recordings.getLog(name ?? ''), body);
    case 'GET recordings/…/calls':
      return recordings.readCall(name ?? '', Number(path[3]));
    case 'POST recordings/…/replay':
      return replayCall(parts, name ?? '', body);
    case 'POST tests':
      return exportTest(parts, body);
    case 'POST calls':
      return startCall(parts, body);
    case 'GET calls/…':
      return calls.read(Number(name));
    case 'GET calls/…/http': {
      const messages = log.listCall(Number(name)).map(seq => ({ seq, exchanges: http.read(seq) }));
      return { messages: messages.filter(({ exchanges }) => exchanges.length > 0) };
    }
    case 'GET calls/…/copy':
      return copy(parts, Number(name), query);
    case 'POST calls/…/cancel':
      calls.cancel(Number(name));
      return {};
    case 'POST calls/…/compare': {
      const { versions } = body;
      if (!Array.isArray(versions)) throw createUsageError('versions: expected a list of texts', 'reload the page');
      return comparisons.start(Number(name), versions.map(String));
    }
    case 'POST calls/…/repeat': {
      const { server } = calls.read(Number(name));
      return calls.repeat(servers.getConnection(server), Number(name));
    }
    case 'POST input-requests/…':
      inbox.respond(Number(name), readInputResponse(body));
      return {};
    default: {
      const feature =
        method === 'POST' && kind === 'servers' && action !== undefined && Object.hasOwn(FEATURES, action);
      if (feature) return FEATURES[action]?.(servers.getConnection(name ?? '').client, body);
      throw new TenonError('console/not-found', `${method} /api/${path.join('/')}: not found`);
    }
  }
}

/** Adds the servers of a target or of a pasted configuration. Returns the name of the first one. */
async function addServers({ servers, configs, cwd }: ConsoleParts, text: string, body: JsonObject): Promise<string> {
  const { headers, env } = body;
  const connection = { header: readTexts(headers, 'headers'), env: readTexts(env, 'env') };
  const version = readVersion(body);
  const format = findConfigFormat(text);
  if (format === undefined)
    return servers.add({ reference: parseTypedTarget(text, cwd), asks: true, connection }, version);
  const { file, names } = await configs.add(text, format);
  const added = names.map(name =>
    servers.add(
      { reference: { kind: 'name', name }, asks: false, connection: { ...connection, config: [file] } },
      version,
      name,
    ),
  );
  return added[0] ?? '';
}

function readTexts(value: unknown, name: string): Record<string, string> | undefined {
  if (value === undefined) return undefined;
  if (!isObject(value)) throw createUsageError(`${name}: expected an object of texts`, 'reload the page');
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, String(each)]));
}

/** Returns a value that is masked everywhere else, and tells it on the screen of the command. */
function reveal(
  { log, http, context }: ConsoleParts,
  seq: number,
  { path, exchange, side, index }: JsonObject,
): unknown {
  const isHeader = typeof exchange === 'number' && (side === 'request' || side === 'response');
  const value = isHeader ? http.reveal(seq, exchange, side, Number(index)) : log.reveal(seq, path);
  if (value === undefined)
    throw new TenonError('console/unknown', `message ${seq}: the value is not in memory`, {
      hint: 'choose a later message',
    });
  const subject = isHeader ? `a header of the ${side}` : Array.isArray(path) ? path.join('.') : '';
  context.screen.note(`console: the page shows a masked value of message ${seq}: ${subject}`);
  return value;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** Reads the requested protocol version. `null`: the newest of both sides. `undefined`: no change. */
const readVersion = ({ version }: JsonObject): string | null | undefined =>
  typeof version === 'string' || version === null ? version : undefined;

function readMessage(log: WireLog, seq: string | undefined, query: URLSearchParams): MessageView {
  const found = log.read(Number(seq), query.has('whole'));
  if (found) return { ...found, http: [] };
  throw new TenonError('console/unknown', `message ${seq}: not in memory`, { hint: 'choose a later message' });
}

function searchTexts(log: WireLog, { texts, after }: JsonObject): Promise<SearchResult> {
  if (!Array.isArray(texts) || texts.length > MAX_TEXTS || !texts.every(isText))
    throw createUsageError(`texts: expected at most ${MAX_TEXTS} texts`, 'shorten the filter');
  return log.search(texts, typeof after === 'number' ? after : 0);
}

function openRecording({ recordings }: ConsoleParts, { name, text }: JsonObject): string {
  if (typeof name === 'string' && typeof text === 'string') return recordings.open(name, text);
  throw createUsageError('recording: expected the texts name and text', 'reload the page');
}

/** Sends a recorded call to a connected server. The user must allow it, unless the tool only reads. */
async function replayCall(parts: ConsoleParts, recording: string, { call, server }: JsonObject): Promise<CallView> {
  const { recordings, servers, calls, inbox } = parts;
  const { method, name, params } = recordings.readCall(recording, Number(call));
  if (typeof server !== 'string') throw createUsageError('server: expected a text', 'reload the page');
  const connection = servers.getConnection(server);
  if (stringifyJson(params).includes(REDACTED))
    throw createUsageError(`call ${String(call)}: its secrets are not in the recording`, 'call the tool with its form');
  if (method === 'tools/call' && servers.findTool(server, name)?.annotations?.readOnlyHint !== true) {
    const message = `Call ${name} of ${server}? It may have effects.`;
    if (!(await inbox.approve({ server, message, details: stringifyJson(params) })))
      throw new TenonError('console/not-approved', `the call of ${name} is not approved`, {
        hint: 'start the replay again, and allow it',
      });
  }
  return calls.start(connection, { server, method, params });
}

const isCount = (value: unknown): value is number => typeof value === 'number';

/** Reads a list of numbers. `undefined`: the page has given none. */
function readNumbers(body: JsonObject, name: string): readonly number[] | undefined {
  const value = body[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every(isCount)) return value;
  throw createUsageError(`${name}: expected a list of numbers`, 'reload the page');
}

async function exportMessages(log: WireLog, body: JsonObject): Promise<RecordingExport> {
  const { exportRecording } = await import('./recording/export-recording.js');
  return exportRecording(log, { calls: readNumbers(body, 'calls'), messages: readNumbers(body, 'messages') });
}

async function exportTest({ calls, log }: ConsoleParts, body: JsonObject): Promise<TestExport> {
  const { exportTest: write } = await import('./recording/export-test.js');
  return write(
    log,
    (readNumbers(body, 'calls') ?? []).map(id => calls.readParams(id)),
  );
}

async function copy({ calls, servers }: ConsoleParts, id: number, query: URLSearchParams): Promise<CallCopy> {
  const { copyCall, isCopyFormat, isShell } = await import('./copy/copy-call.js');
  const { view, params, redacted } = calls.readParams(id);
  const { server, name, method, protocolVersion } = view;
  const [format, shell] = [query.get('as'), query.get('shell')];
  if (!isCopyFormat(format)) throw createUsageError(`as: unknown format ${format}`, 'reload the page');
  const target = await servers.describeTarget(server, method === 'tools/call' ? name : '');
  const call = { ...target, method, params, redacted, protocolVersion };
  return copyCall(call, format, isShell(shell) ? shell : 'bash');
}

function startCall({ servers, calls }: ConsoleParts, { server, method, params, timeout }: JsonObject): unknown {
  if (typeof server !== 'string' || typeof method !== 'string' || !isObject(params))
    throw createUsageError('call: expected the texts server and method, and the object params', 'reload the page');
  return calls.start(servers.getConnection(server), {
    server,
    method,
    params,
    ...(typeof timeout === 'number' && timeout > 0 ? { timeout } : {}),
  });
}

function readInputResponse({ action, content }: JsonObject): InputResponse {
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel')
    throw createUsageError('action: expected accept, decline or cancel', 'reload the page');
  return { action, ...(isObject(content) ? { content } : {}) };
}

/** Parses a target as a command line takes it: one word, or the words that start a server. */
function parseTypedTarget(text: string, cwd: string): TargetReference {
  const words = splitLine(text.replace(/^--\s+/, '')).filter(word => word !== '');
  const [command = '', ...args] = words;
  if (words.length === 1 && !text.startsWith('-- ')) return parseTarget(command, cwd);
  return { kind: 'command', command, args };
}
