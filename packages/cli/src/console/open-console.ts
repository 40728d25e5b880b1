import { randomUUID } from 'node:crypto';
import { protocolVersions, version } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { TargetOptions } from '../target/target-options.js';
import { AppSandbox } from './apps/app-sandbox.js';
import { ShownApps } from './apps/shown-apps.js';
import { ChangeFeed } from './change-feed.js';
import { ComparedCalls } from './compared-calls.js';
import { respondToPage } from './console-api.js';
import { ConsoleCalls } from './console-calls.js';
import { type ConsoleListener, listenForPage } from './console-listener.js';
import { ConsoleServers } from './console-servers.js';
import { ApprovalInbox } from './gateway/approval-inbox.js';
import type { ConsoleGateway } from './gateway/console-gateway.js';
import type { GatewayTraffic } from './gateway/gateway-traffic.js';
import { HttpLog } from './http-log.js';
import { InputInbox } from './input-inbox.js';
import { readPageFiles } from './page-files.js';
import { PastedConfigs } from './pasted-configs.js';
import { OpenedRecordings } from './recording/opened-recordings.js';
import type { ConsoleTarget } from './server-record.js';
import { SignInAttempts } from './sign-in/sign-in-attempts.js';
import { Subscriptions } from './subscriptions.js';
import { WireLog } from './wire-log.js';

/** A server that the console has from the start. */
export interface NamedTarget {
  readonly target: ConsoleTarget;
  /** Name in addresses. Default: a name from the target. */
  readonly name?: string;
}

export interface ConsoleOptions {
  /** Port on loopback. 0 selects a free one. */
  readonly port: number;
  /**
   * Option that sets the port, for the next step in errors.
   * @default `--port`
   */
  readonly portOption?: string;
  readonly targets: readonly NamedTarget[];
  /** Options for the connections to servers. */
  readonly connection?: TargetOptions;
  /**
   * Connects to the servers when a page is opened for the first time.
   * @default `false`
   */
  readonly isLazy?: boolean;
  /**
   * Recordings to show.
   * @default none
   */
  readonly recordings?: readonly { readonly name: string; readonly text: string }[];
  /**
   * The gateway to which the console belongs.
   * @default none
   */
  readonly gateway?: ConsoleGateway | undefined;
  /**
   * Messages of the gateway with its callers and its servers, which the log gets too.
   * @default none
   */
  readonly traffic?: GatewayTraffic | undefined;
  /** Folder with the built page. Default: the one of this package. */
  readonly pageFolder?: string;
}

/** A console with its page. */
export interface OpenedConsole extends ConsoleListener {
  /** Adds the servers of targets whose names are new, and removes those whose targets are removed. */
  setTargets(targets: readonly NamedTarget[]): Promise<void>;
}

/** Opens a console: a page on loopback that connects to servers and shows each message. */
export async function openConsole(
  context: CliContext,
  {
    port,
    portOption = '--port',
    targets,
    connection: options = {},
    isLazy = false,
    recordings: files = [],
    gateway,
    traffic,
    pageFolder,
  }: ConsoleOptions,
): Promise<OpenedConsole> {
  const pageFiles = await readPageFiles(pageFolder);
  const feed = new ChangeFeed();
  const http = new HttpLog();
  const log: WireLog = new WireLog(() => {
    http.dropBefore(log.first);
    feed.notify();
  });
  const configs = new PastedConfigs(context);
  const calls: ConsoleCalls = new ConsoleCalls(feed, log, call => servers.countCall(call));
  const inbox: InputInbox = new InputInbox(feed, call => calls.setWaiting(call, inbox.isWaiting(call)));
  const servers = new ConsoleServers({ context, options, log, http, feed, inbox, calls });
  const comparisons = new ComparedCalls({ feed, servers, calls, inbox });
  const signIns = new SignInAttempts(feed, servers);
  const subscriptions = new Subscriptions(feed);
  const recordings = new OpenedRecordings(feed);
  const opened = files.map(({ name, text }) => recordings.open(name, text));
  const approvals =
    gateway &&
    new ApprovalInbox({
      approvals: gateway.approvals,
      feed,
      findTool: (server, name) => servers.findTool(server, gateway.getToolName(server, name) ?? name),
    });
  const sandbox = new AppSandbox();
  const parts = {
    context,
    apps: new ShownApps({ servers, calls, log, feed, sandbox }),
    getOrigins: () => listener.origins,
    cwd: context.cwd,
    servers,
    calls,
    comparisons,
    subscriptions,
    inbox,
    log,
    http,
    configs,
    recordings,
    signIns,
    callers: gateway?.callers,
    gateway,
    approvals,
    policy: gateway?.policy,
    lock: gateway?.lock,
    audit: gateway?.audit,
  };
  const run = randomUUID();
  let waiting = targets;
  let hasStarted = !isLazy;
  /** Names in the page of the targets. */
  const names = new Map<string, string>();
  const addServers = () => {
    hasStarted = true;
    for (const { target, name } of waiting) {
      const added = servers.add(target, undefined, name);
      if (name !== undefined) names.set(name, added);
    }
    waiting = [];
  };
  const listener: ConsoleListener = await listenForPage(
    {
      files: pageFiles,
      getFrameOrigin: () => sandbox.origin,
      respond: request => respondToPage(parts, request),
      async sendEvents(after, write, signal, role) {
        addServers();
        const protocolVersion = options.protocolVersion ?? null;
        const state = { folder: context.cwd, run, role, isGateway: gateway !== undefined };
        await write({ type: 'hello', version, protocolVersions, protocolVersion, ...state });
        await feed.send(log, after, write, signal);
      },
    },
    port,
    portOption,
  );
  http.open();
  traffic?.open(log);
  approvals?.open();
  if (!isLazy) addServers();
  return {
    ...listener,
    // Without servers, the recording is what the user wants to see.
    url: opened[0] && targets.length === 0 ? listener.url.replace('/#', `/recordings/${opened[0]}#`) : listener.url,
    async setTargets(next) {
      const wanted = new Set(next.flatMap(({ name = '' }) => name));
      waiting = [...waiting, ...next].filter(({ name = '' }, index, all) => {
        const isFirst = all.findIndex(each => each.name === name) === index;
        return wanted.has(name) && !names.has(name) && isFirst;
      });
      const removed = [...names].filter(([name]) => !wanted.has(name));
      for (const [name] of removed) names.delete(name);
      if (hasStarted) addServers();
      // The user may have removed it.
      await Promise.all(removed.map(([, added]) => servers.remove(added).catch(() => {})));
    },
    async close() {
      traffic?.close();
      approvals?.close();
      signIns.close();
      await listener.close();
      await sandbox.close();
      await servers.close();
      http.close();
      await configs.close();
    },
  };
}
