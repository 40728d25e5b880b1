import { getAppUri, isVisibleTo } from '@tenon/apps/host';
import { isObject, type JsonObject, toJsonObject } from '@tenon/base';
import type { AppFindings, CallView, CspFinding, Json, OpenedApp } from '@tenon/console/api';
import { TenonError } from 'tenon';
import { createUsageError } from '../../usage-error.js';
import type { ChangeFeed } from '../change-feed.js';
import { isMessage } from '../connection-faults.js';
import type { ConsoleCalls } from '../console-calls.js';
import type { ConsoleServers } from '../console-servers.js';
import { dropOldest } from '../drop-oldest.js';
import type { WireLog } from '../wire-log.js';
import type { AppSandbox } from './app-sandbox.js';
import { readCspReport } from './csp-report.js';

/** Number of the first connection between an app and the page. Those of servers and of a gateway are lower. */
const FIRST_CONNECTION = 1_000_000_000;
/** Maximum number of shown apps. The oldest ones end. */
const MAX_APPS = 50;
/** Maximum number of findings of one app. */
const MAX_FINDINGS = 50;
/** Maximum number of calls of one app whose results wait for the page. */
const MAX_RESULTS = 100;
/** Maximum number of messages in one request of the page. */
const MAX_MESSAGES = 5_000;

/** Parts of a console that apps use. */
interface AppParts {
  readonly servers: ConsoleServers;
  readonly calls: ConsoleCalls;
  readonly log: WireLog;
  readonly feed: ChangeFeed;
  readonly sandbox: AppSandbox;
}

interface ShownApp {
  readonly id: number;
  readonly server: string;
  readonly tool: string;
  readonly key: string;
  findings: readonly CspFinding[];
  /** Results of the calls of the app, as its server sent them. */
  readonly results: Map<number, Promise<JsonObject>>;
}

/** Apps that pages of the console show: their frames, calls, messages and findings. */
export class ShownApps {
  readonly #apps = new Map<number, ShownApp>();
  readonly #parts: AppParts;
  #last = 0;

  constructor(parts: AppParts) {
    this.#parts = parts;
  }

  /** Prepares the frame for the app of a tool. Values of an earlier call have their secrets masked. */
  async open({ server, tool, call, origin }: JsonObject, origins: readonly string[]): Promise<OpenedApp> {
    const hostOrigin = origins.find(each => each === origin);
    if (typeof server !== 'string' || typeof tool !== 'string' || hostOrigin === undefined)
      throw createUsageError('app: expected the texts server, tool and origin', 'reload the page');
    const { servers, calls, sandbox } = this.#parts;
    servers.getConnection(server);
    const listed = servers.findTool(server, tool);
    if (!listed || getAppUri(listed) === undefined)
      throw new TenonError('console/unknown', `tool ${JSON.stringify(tool)}: no app`, {
        hint: 'name one in _meta.ui.resourceUri',
      });
    const shown = typeof call === 'number' ? readShownCall(calls, call, { server, tool }) : null;
    this.#last += 1;
    const id = this.#last;
    const { key, url } = await sandbox.add({ hostOrigin, onReport: report => this.#addFinding(id, report) });
    const app: ShownApp = { id, server, tool, key, findings: [], results: new Map() };
    this.#apps.set(id, app);
    for (const each of [...this.#apps.keys()].slice(0, -MAX_APPS)) this.close(each);
    this.#show(app);
    // Not a part of the definition that the server sent.
    const { signature: _, tokens: _tokens, ...definition }: Json = { ...listed };
    return { id, sandboxUrl: url, tool: definition, call: shown };
  }

  close(id: number): void {
    const app = this.#apps.get(id);
    if (!app) return;
    this.#parts.sandbox.remove(app.key);
    this.#apps.delete(id);
    this.#parts.feed.delete(`app ${id}`);
  }

  /** Starts a call or a read of an app. A tool that is not visible to apps is refused. */
  call(id: number, { method, params }: JsonObject): CallView {
    const app = this.#require(id);
    const { servers, calls } = this.#parts;
    if ((method !== 'tools/call' && method !== 'resources/read') || !isObject(params))
      throw createUsageError('app: expected tools/call or resources/read, and params', 'reload the page');
    if (method === 'tools/call') {
      const tool = typeof params.name === 'string' ? servers.findTool(app.server, params.name) : undefined;
      if (!tool || !isVisibleTo('app', tool))
        throw new TenonError('console/unknown', `tool ${JSON.stringify(params.name)}: not visible to apps`, {
          hint: 'add "app" to its _meta.ui.visibility',
        });
    }
    const { view, result } = calls.startForApp(servers.getConnection(app.server), {
      server: app.server,
      method,
      params,
    });
    // A page that is gone does not ask for it.
    result.catch(() => {});
    app.results.set(view.id, result);
    dropOldest(app.results, MAX_RESULTS);
    return view;
  }

  /** Returns the result of a call of an app as its server sent it, when it is over. */
  async readResult(id: number, { call }: JsonObject): Promise<JsonObject> {
    const { results } = this.#require(id);
    const result = results.get(Number(call));
    if (!result)
      throw new TenonError('console/unknown', `call ${String(call)}: not of this app`, { hint: 'open the app again' });
    results.delete(Number(call));
    return result;
  }

  /** Adds messages between an app and the page to the log. */
  addMessages(id: number, { messages }: JsonObject): void {
    const app = this.#require(id);
    if (!Array.isArray(messages) || messages.length > MAX_MESSAGES)
      throw createUsageError(`messages: expected a list of at most ${MAX_MESSAGES}`, 'reload the page');
    const items: readonly unknown[] = messages;
    for (const item of items) {
      if (!isObject(item)) continue;
      const { from, message, time } = item;
      if ((from !== 'client' && from !== 'server') || !isMessage(message)) continue;
      const sentAt = typeof time === 'number' && Number.isFinite(time) ? time : undefined;
      const { server } = app;
      const connection = FIRST_CONNECTION + id;
      this.#parts.log.add({ server, connection, from, message, call: undefined, hop: 'app', time: sentAt });
    }
  }

  #addFinding(id: number, report: unknown): void {
    const app = this.#apps.get(id);
    const finding = readCspReport(report);
    if (!app || !finding || app.findings.length >= MAX_FINDINGS) return;
    const { directive, blocked } = finding;
    if (app.findings.some(each => each.directive === directive && each.blocked === blocked)) return;
    app.findings = [...app.findings, finding];
    this.#show(app);
  }

  #show({ id, findings }: ShownApp): void {
    const app: AppFindings = { id, findings };
    this.#parts.feed.set(`app ${id}`, { type: 'app', app });
  }

  #require(id: number): ShownApp {
    const app = this.#apps.get(id);
    if (app) return app;
    throw new TenonError('console/unknown', `app ${id}: not open`, { hint: 'open the app again' });
  }
}

/** Returns the arguments and the result of a finished call of a tool, without secrets. */
function readShownCall(
  calls: ConsoleCalls,
  id: number,
  { server, tool }: { readonly server: string; readonly tool: string },
): OpenedApp['call'] {
  const { view, redacted } = calls.readParams(id);
  if (view.server !== server || view.method !== 'tools/call' || view.name !== tool)
    throw new TenonError('console/unknown', `call ${id}: not of this tool`, { hint: 'choose a call of the tool' });
  const { arguments: args } = redacted;
  return { arguments: toJsonObject(args), result: calls.readOutcome(id).result };
}
