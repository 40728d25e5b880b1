import { getAppUri } from '@tenon/apps/host';
import { isObject, type JsonObject, REDACTED, stringifyJson } from '@tenon/base';
import type {
  CallCopy,
  CallerSignInsView,
  CallView,
  InputResponse,
  JsonPart,
  MessageText,
  MessageView,
  RecordingExport,
  SearchResult,
  TestExport,
  WireRow,
} from '@tenon/console/api';
import { sanitizeName } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { splitLine } from '../completion/split-line.js';
import { SERVER_CHANGES } from '../gateway/control-socket.js';
import { parseTarget, type TargetReference } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';
import { getUserName } from '../user-name.js';
import type { ShownApps } from './apps/shown-apps.js';
import type { ComparedCalls } from './compared-calls.js';
import { readFaultPlan } from './connection-faults.js';
import type { ConsoleCalls } from './console-calls.js';
import type { ConsoleServers } from './console-servers.js';
import { cutListing } from './cut-listing.js';
import type { ApprovalInbox } from './gateway/approval-inbox.js';
import type { ConsoleGateway } from './gateway/console-gateway.js';
import type { GatewayAudit } from './gateway/gateway-audit.js';
import type { GatewayLock } from './gateway/gateway-lock.js';
import { type GatewayPolicy, NO_DECISION } from './gateway/gateway-policy.js';
import type { HttpLog } from './http-log.js';
import type { InputInbox } from './input-inbox.js';
import { readJsonPart, readPartPlace, sliceText } from './json-part.js';
import { findConfigFormat, type PastedConfigs } from './pasted-configs.js';
import type { OpenedRecordings } from './recording/opened-recordings.js';
import { FEATURES } from './server-features.js';
import type { CallerSignIns } from './sign-in/caller-sign-ins.js';
import type { SignInAttempts } from './sign-in/sign-in-attempts.js';
import type { Subscriptions } from './subscriptions.js';
import { readTrace } from './trace/read-trace.js';
import type { WireLog } from './wire-log.js';

/** Maximum number of texts of one search. */
const MAX_TEXTS = 20;
/** Maximum size of a piece of the text of a message, in characters. */
const MAX_PIECE = 1_000_000;

const NO_CALLERS: CallerSignInsView = { signIns: null };

/** Parts of a console that the API reads and changes. */
export interface ConsoleParts {
  readonly context: Pick<CliContext, 'screen'>;
  readonly cwd: string;
  readonly apps: ShownApps;
  /** Returns the origins at which a browser may have the page. */
  getOrigins(): readonly string[];
  readonly servers: ConsoleServers;
  readonly calls: ConsoleCalls;
  readonly comparisons: ComparedCalls;
  readonly subscriptions: Subscriptions;
  readonly inbox: InputInbox;
  readonly log: WireLog;
  readonly http: HttpLog;
  readonly configs: PastedConfigs;
  readonly recordings: OpenedRecordings;
  readonly signIns: SignInAttempts;
  /** Sign-ins of the callers of this gateway. */
  readonly callers: CallerSignIns | undefined;
  /** The gateway to which the console belongs. */
  readonly gateway: ConsoleGateway | undefined;
  /** Approvals of the callers of this gateway. */
  readonly approvals: ApprovalInbox | undefined;
  /** Lock of this gateway. */
  readonly lock: GatewayLock | undefined;
  /** Audit logs of this gateway and of its replicas. */
  readonly audit: GatewayAudit | undefined;
  /** Policy of this gateway. */
  readonly policy: GatewayPolicy | undefined;
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
  if (kind === 'gateway' && parts.gateway) return respondFromGateway(parts.gateway, request);
  if (kind === 'policy' && parts.policy && action === undefined) return respondFromPolicy(parts, parts.policy, request);
  if (method === 'GET' && kind === 'policy' && name === 'explain' && parts.gateway) return NO_DECISION;
  if (kind === 'lock' && parts.lock && action === undefined) return respondFromLock(parts, parts.lock, request);
  if (kind === 'audit' && parts.audit && request.method === 'GET' && action === undefined) {
    if (name === undefined) return parts.audit.read(query);
    if (name === 'verify') return parts.audit.verify();
  }
  if (kind === 'approvals' && name !== undefined && action === undefined && parts.approvals)
    return changeApproval(parts.approvals, name, request);
  switch (`${method} ${kind}${name === undefined ? '' : '/…'}${action === undefined ? '' : `/${action}`}`) {
    case 'POST servers': {
      const { target } = body;
      if (typeof target !== 'string' || target.trim() === '')
        throw createUsageError('target: expected a text', 'enter a URL, a command, a path or a name');
      return { name: await addServers(parts, target.trim(), body) };
    }
    case 'GET servers/…':
      return cutListing(await servers.readListing(name ?? ''));
    case 'DELETE servers/…':
      await servers.remove(name ?? '');
      return {};
    case 'POST servers/…/reconnect': {
      await servers.reconnect(name ?? '', readVersion(body));
      return {};
    }
    case 'POST servers/…/faults':
      servers.setFaultPlan(name ?? '', readFaultPlan(body));
      return {};
    case 'GET servers/…/snapshots': {
      const [before, after] = ['before', 'after'].map(key => Number(query.get(key)) || undefined);
      return servers.compareSnapshots(name ?? '', before, after);
    }
    case 'GET servers/…/doctor':
      return servers.examine(name ?? '');
    case 'POST servers/…/subscribe':
      return subscriptions.start(servers.getConnection(name ?? '').client, name ?? '', body);
    case 'DELETE subscriptions/…':
      subscriptions.stop(Number(name));
      return {};
    case 'GET wire/…': {
      const message = readMessage(log, name);
      return { ...message, http: http.read(message.row.request ?? message.row.seq) };
    }
    case 'GET wire/…/part':
      return readMessagePart(log, name, query);
    case 'GET wire/…/text':
      return readMessageText(log, name, query);
    case 'POST wire/…/reveal':
      return { value: reveal(parts, Number(name), body) };
    case 'POST wire/…':
      return searchTexts(log, body);
    case 'POST recordings':
      return exportMessages(log, body);
    case 'POST recordings/…':
      return { name: openRecording(parts, body) };
    case 'GET recordings/…':
      return recordings.read(name ?? '', Number(query.get('after')) || 0);
    case 'GET recordings/…/wire':
      return readRecordedMessage(recordings.getLog(name ?? ''), path, query);
    case 'POST recordings/…/wire':
      return searchTexts(recordings.getLog(name ?? ''), body);
    case 'GET recordings/…/calls':
      return path[4] === 'part'
        ? recordings.readPart(name ?? '', Number(path[3]), readPartPlace(query))
        : recordings.readCall(name ?? '', Number(path[3]));
    case 'GET recordings/…/trace':
      return readTrace(parts, { recording: name ?? '', seq: Number(path[3]) });
    case 'GET trace/…':
      return readTrace(parts, { recording: null, seq: Number(name) });
    case 'POST recordings/…/replay':
      return replayCall(parts, name ?? '', body);
    case 'POST sign-ins':
      return parts.signIns.start(body);
    case 'DELETE sign-ins/…':
      parts.signIns.remove(Number(name));
      return {};
    case 'POST sign-ins/…/next':
    case 'POST sign-ins/…/cancel':
    case 'POST sign-ins/…/page':
    case 'POST sign-ins/…/refresh':
    case 'POST sign-ins/…/step-up':
      return parts.signIns.change(Number(name), action ?? '', body);
    case 'GET callers':
      return parts.gateway && !parts.callers ? NO_CALLERS : requireCallers(parts, request).list();
    case 'DELETE callers/…':
      return requireCallers(parts, request).revoke(name ?? '');
    case 'POST tests':
      return exportTest(parts, body);
    case 'POST calls':
      return startCall(parts, body);
    case 'GET calls/…': {
      const detail = calls.read(Number(name));
      const tool = detail.method === 'tools/call' ? servers.findTool(detail.server, detail.name) : undefined;
      return { ...detail, hasApp: tool !== undefined && getAppUri(tool) !== undefined };
    }
    case 'GET calls/…/part':
      return calls.readPart(Number(name), readPartPlace(query));
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
      const { server } = calls.getView(Number(name));
      return calls.repeat(servers.getConnection(server), Number(name));
    }
    case 'POST apps':
      return parts.apps.open(body, parts.getOrigins());
    case 'DELETE apps/…':
      parts.apps.close(Number(name));
      return {};
    case 'POST apps/…/calls':
      return parts.apps.call(Number(name), body);
    case 'POST apps/…/results':
      return parts.apps.readResult(Number(name), body);
    case 'POST apps/…/messages':
      parts.apps.addMessages(Number(name), body);
      return {};
    case 'POST input-requests/…':
      inbox.respond(Number(name), readInputResponse(body));
      return {};
    default: {
      const feature =
        method === 'POST' && kind === 'servers' && action !== undefined && Object.hasOwn(FEATURES, action);
      if (feature) return FEATURES[action]?.(servers.getConnection(name ?? '').client, body);
      throw createNotFoundError(request);
    }
  }
}

async function respondFromGateway(gateway: ConsoleGateway, request: ApiRequest): Promise<unknown> {
  const { method, path, query } = request;
  const [, name, action] = path;
  if (method === 'GET' && name === undefined) return gateway.read();
  if (method === 'GET' && name === 'search' && action === undefined) return gateway.search(query.get('query') ?? '');
  if (method === 'GET' && name !== undefined && action === 'tools') return gateway.listTools(name);
  const change = SERVER_CHANGES.find(each => each === action);
  if (method === 'POST' && name !== undefined && change) return gateway.change(name, change);
  throw createNotFoundError(request);
}

async function respondFromPolicy(parts: ConsoleParts, policy: GatewayPolicy, request: ApiRequest): Promise<unknown> {
  const { method, path, query, body } = request;
  const { calls, recordings, context, log } = parts;
  switch (`${method} ${path.join('/')}`) {
    case 'GET policy':
      return policy.read();
    case 'GET policy/decisions':
      return policy.list(query);
    case 'GET policy/explain': {
      const decision = query.get('decision');
      if (decision !== null) return policy.explain(Number(decision));
      const call = Number(query.get('call'));
      return policy.explainCall({ ...calls.readParams(call), messages: log.listCall(call) });
    }
    case 'POST policy/try': {
      const { recording } = body;
      if (typeof recording !== 'string') return policy.try(body.text);
      const { text } = await exportMessages(recordings.getLog(recording), {});
      return policy.try(body.text, text);
    }
    case 'POST policy': {
      const saved = await policy.save(body);
      context.screen.note(`${saved.file}: saved in the console by ${getUserName()}`);
      return saved;
    }
    default:
      throw createNotFoundError(request);
  }
}

async function respondFromLock({ context }: ConsoleParts, lock: GatewayLock, request: ApiRequest): Promise<unknown> {
  const { method, path, body } = request;
  switch (`${method} ${path.join('/')}`) {
    case 'GET lock':
      return lock.read();
    case 'POST lock/accept': {
      const user = getUserName();
      for (const { server, of, name, kind } of await lock.accept(body.ids, user))
        context.screen.note(
          `lock: ${sanitizeName(server)}, ${of} ${sanitizeName(name)}: ${kind} accepted in the console by ${user}`,
        );
      return lock.read();
    }
    default:
      throw createNotFoundError(request);
  }
}

async function changeApproval(approvals: ApprovalInbox, id: string, request: ApiRequest): Promise<unknown> {
  if (request.method === 'POST') await approvals.answer(id, request.body);
  else if (request.method === 'DELETE') await approvals.revoke(id);
  else throw createNotFoundError(request);
  return {};
}

function requireCallers({ callers }: ConsoleParts, request: ApiRequest): CallerSignIns {
  if (callers) return callers;
  throw createNotFoundError(request);
}

const createNotFoundError = ({ method, path }: ApiRequest): TenonError =>
  new TenonError('console/not-found', `${method} /api/${path.join('/')}: not found`);

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

function readMessage(log: WireLog, seq: string | undefined): MessageView {
  const { row, text } = requireMessage(log, seq);
  return { row, ...readJsonPart(text), size: text.length, http: [] };
}

const readMessagePart = (log: WireLog, seq: string | undefined, query: URLSearchParams): JsonPart =>
  readJsonPart(requireMessage(log, seq).text, readPartPlace(query));

function readMessageText(log: WireLog, seq: string | undefined, query: URLSearchParams): MessageText {
  const { text } = requireMessage(log, seq);
  const { from, size = MAX_PIECE } = readPartPlace(query);
  return { text: sliceText(text, from, from + Math.min(size, MAX_PIECE)), size: text.length };
}

function readRecordedMessage(
  log: WireLog,
  [, , , seq, piece]: readonly string[],
  query: URLSearchParams,
): MessageView | MessageText | JsonPart {
  if (piece === 'part') return readMessagePart(log, seq, query);
  return piece === 'text' ? readMessageText(log, seq, query) : readMessage(log, seq);
}

function requireMessage(log: WireLog, seq: string | undefined): { readonly row: WireRow; readonly text: string } {
  const found = log.read(Number(seq));
  if (found) return found;
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
  const { method, name, params } = recordings.getCall(recording, Number(call));
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

async function exportTest({ calls, servers, log }: ConsoleParts, body: JsonObject): Promise<TestExport> {
  const { exportTest: write } = await import('./recording/export-test.js');
  return write(
    log,
    (readNumbers(body, 'calls') ?? []).map(id => {
      const { view, redacted } = calls.readParams(id);
      return { view, redacted, outcome: calls.readOutcome(id), isHttp: servers.isHttp(view.server) };
    }),
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
