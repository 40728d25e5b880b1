import type { IncomingMessage, ServerResponse } from 'node:http';
import { TenonError } from 'tenon';
import packageJson from '../../package.json' with { type: 'json' };
import type { CliContext } from '../cli-context.js';
import { runUntilSignal } from '../run-until-signal.js';
import { listenOnSocket, respondJson } from '../sockets/listen-on-socket.js';
import {
  createSocketRecord,
  preparePrivateFolder,
  readSocketRecord,
  removeSocket,
  removeSocketRecord,
  type SocketRecord,
  writeSocketRecord,
} from '../sockets/socket-record.js';
import { readText } from '../sockets/socket-request.js';
import { getDaemonFile, getDaemonFolder, requestDaemon } from './daemon-request.js';
import { DaemonServers } from './daemon-servers.js';
import type { DaemonTarget } from './daemon-target.js';

export interface DaemonOptions {
  /** Time after which an unused server is closed, and after which the daemon without servers ends, in milliseconds. */
  readonly idle: number;
  /** Maximum number of servers. */
  readonly max: number;
}

/** Interval of checks for unused servers, in milliseconds. */
const MAX_INTERVAL = 5000;
const PROBE_TIMEOUT = 2000;
/** Time between the requests of one command, at most, in milliseconds. */
const COMMAND_PAUSE = 2000;

/** Keeps servers for the commands of this user, until it is stopped or nobody needs it. */
export async function runDaemon(context: CliContext, { idle, max }: DaemonOptions): Promise<void> {
  const folder = getDaemonFolder(context.env);
  await preparePrivateFolder(folder);
  const file = getDaemonFile(context.env);
  const record = await createSocketRecord(folder, packageJson.version);
  const servers = new DaemonServers(context, { max, idle, now: () => performance.now() });
  let end = () => {};
  const ended = new Promise<void>(resolve => {
    end = resolve;
  });
  let active = 0;
  let usedAt = performance.now();
  const stop = async (response: ServerResponse) => {
    // The next command must not find a daemon that ends.
    await removeSocketRecord(file, record).catch(() => {});
    response.once('close', end);
  };
  await runUntilSignal(context, servers, async () => {
    const http = await listenOnSocket(record, (request, response) => {
      active += 1;
      response.once('close', () => {
        active -= 1;
        usedAt = performance.now();
      });
      void handleRequest(servers, request, response, stop);
    });
    await replaceRecord(file, record);
    const check = async () => {
      await servers.closeUnused();
      const isReplaced = (await readSocketRecord(file).catch(() => undefined))?.pid !== record.pid;
      const unused = performance.now() - usedAt;
      const isOver = isReplaced ? unused >= COMMAND_PAUSE : servers.size === 0 && unused >= idle;
      if (active === 0 && isOver) end();
    };
    const timer = setInterval(() => void check().catch(end), Math.min(idle, MAX_INTERVAL));
    return {
      ended,
      isDaemon: true,
      async close() {
        clearInterval(timer);
        await removeSocketRecord(file, record).catch(() => {});
        const closed = new Promise<void>(resolve => http.close(() => resolve()));
        http.closeIdleConnections();
        await servers.close();
        http.closeAllConnections();
        await closed;
      },
    };
  });
}

/** Takes the place of the previous daemon. Removes its socket if it did not end properly. */
async function replaceRecord(file: string, record: SocketRecord): Promise<void> {
  const previous = await readSocketRecord(file);
  await writeSocketRecord(file, record);
  if (!previous) return;
  try {
    await requestDaemon(previous, 'GET', '/status', undefined, PROBE_TIMEOUT);
  } catch {
    await removeSocket(previous);
  }
}

async function handleRequest(
  servers: DaemonServers,
  request: IncomingMessage,
  response: ServerResponse,
  stop: (response: ServerResponse) => Promise<void>,
): Promise<void> {
  const respond = respondJson.bind(undefined, response);
  const route = `${request.method} ${request.url}`;
  try {
    if (route === 'GET /status')
      respond(200, { pid: process.pid, version: packageJson.version, servers: servers.list() });
    else if (route === 'POST /stop') {
      await stop(response);
      respond(200, {});
    } else if (route === 'POST /open') {
      const target = JSON.parse(await readText(request)) as DaemonTarget;
      respond(200, await servers.open(target));
    } else if (route === 'POST /close') {
      const { url } = Object(JSON.parse(await readText(request)));
      respond(200, { closed: await servers.closeUrl(String(url)) });
    } else {
      const listener = servers.findListener(request.url ?? '');
      if (listener) listener(request, response, () => respond(404, {}));
      else respond(404, { reason: 'the server is not kept any more' });
    }
  } catch (error) {
    const { code, summary: reason, hint } = TenonError.from(error);
    if (!response.headersSent) respond(502, code === 'daemon/full' ? { code, reason, hint } : { reason });
  }
}
