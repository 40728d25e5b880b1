import { randomUUID } from 'node:crypto';
import { protocolVersions, version } from 'tenon';
import type { CliContext } from '../cli-context.js';
import type { TargetOptions } from '../target/target-options.js';
import { ChangeFeed } from './change-feed.js';
import { ComparedCalls } from './compared-calls.js';
import { respondToPage } from './console-api.js';
import { ConsoleCalls } from './console-calls.js';
import { type ConsoleListener, listenForPage } from './console-listener.js';
import { ConsoleServers } from './console-servers.js';
import { HttpLog } from './http-log.js';
import { InputInbox } from './input-inbox.js';
import { readPageFiles } from './page-files.js';
import { PastedConfigs } from './pasted-configs.js';
import { OpenedRecordings } from './recording/opened-recordings.js';
import type { ConsoleTarget } from './server-record.js';
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
  /** Folder with the built page. Default: the one of this package. */
  readonly pageFolder?: string;
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
    pageFolder,
  }: ConsoleOptions,
): Promise<ConsoleListener> {
  const pageFiles = await readPageFiles(pageFolder);
  const feed = new ChangeFeed();
  const http = new HttpLog();
  const log: WireLog = new WireLog(() => {
    http.dropBefore(log.first);
    feed.notify();
  });
  const configs = new PastedConfigs(context);
  const calls: ConsoleCalls = new ConsoleCalls(feed, call => servers.countCall(call));
  const inbox: InputInbox = new InputInbox(feed, call => calls.setWaiting(call, inbox.isWaiting(call)));
  const servers = new ConsoleServers({ context, options, log, http, feed, inbox, calls });
  const comparisons = new ComparedCalls({ feed, servers, calls, inbox });
  const subscriptions = new Subscriptions(feed);
  const recordings = new OpenedRecordings(feed);
  const opened = files.map(({ name, text }) => recordings.open(name, text));
  const parts = {
    context,
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
  };
  const run = randomUUID();
  let waiting = targets;
  const addServers = () => {
    for (const { target, name } of waiting) servers.add(target, undefined, name);
    waiting = [];
  };
  const listener = await listenForPage(
    {
      files: pageFiles,
      respond: request => respondToPage(parts, request),
      async sendEvents(after, write, signal) {
        addServers();
        const protocolVersion = options.protocolVersion ?? null;
        await write({ type: 'hello', version, protocolVersions, protocolVersion, folder: context.cwd, run });
        await feed.send(log, after, write, signal);
      },
    },
    port,
    portOption,
  );
  http.open();
  if (!isLazy) addServers();
  return {
    // Without servers, the recording is what the user wants to see.
    url: opened[0] && targets.length === 0 ? listener.url.replace('/#', `/recordings/${opened[0]}#`) : listener.url,
    async close() {
      await listener.close();
      await servers.close();
      http.close();
      await configs.close();
    },
  };
}
