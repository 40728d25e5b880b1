import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Host } from '@tenon/host';
import { connect, type Implementation, TenonError } from 'tenon';
import { createHandler, type HttpHandler } from 'tenon/http';
import { toNode } from 'tenon/node';
import type { CliContext } from '../cli-context.js';
import { createSingleHost } from '../http/serve-target.js';
import { cancelQuestions } from '../questions/cancel-questions.js';
import { logError } from '../serving/log-error.js';
import { type DaemonTarget, restoreTarget } from './daemon-target.js';

export interface DaemonServersOptions {
  /** Maximum number of servers. */
  readonly max: number;
  /** Time after which an unused server is closed, in milliseconds. */
  readonly idle: number;
  /** Current time, in milliseconds. */
  readonly now: () => number;
}

/** Kept server, as `tenon daemon status --json` prints it. */
export interface DaemonServerState {
  readonly label: string;
  /** Number of open requests. */
  readonly active: number;
  /** Time since the last request, in milliseconds. */
  readonly unused: number;
}

/** Endpoint of a kept server at the daemon. */
export interface DaemonEndpoint {
  readonly path: string;
  /** Protocol version of the server itself. Commands speak another one with the daemon. */
  readonly protocolVersion?: string | undefined;
}

type ServerListener = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

interface DaemonServer {
  readonly id: string;
  readonly label: string;
  /** URL of the server. Absent for the server of a command. */
  readonly url: string | undefined;
  readonly host: Host;
  readonly handler: HttpHandler;
  readonly listener: ServerListener;
  active: number;
  usedAt: number;
}

/** Servers whose connections and processes stay open between commands. */
export class DaemonServers {
  readonly #context: CliContext;
  readonly #options: DaemonServersOptions;
  readonly #servers = new Map<string, Promise<DaemonServer>>();
  readonly #opened = new Map<string, DaemonServer>();

  constructor(context: CliContext, options: DaemonServersOptions) {
    this.#context = context;
    this.#options = options;
  }

  get size(): number {
    return this.#servers.size;
  }

  /** Opens a server, or finds the open one with the same target. */
  async open(target: DaemonTarget): Promise<DaemonEndpoint> {
    const id = createHash('sha256').update(JSON.stringify(target)).digest('hex').slice(0, 32);
    const opening = this.#servers.get(id) ?? this.#start(id, target);
    this.#servers.set(id, opening);
    try {
      const server = await opening;
      server.usedAt = this.#options.now();
      return { path: getPath(id), protocolVersion: server.host.getServers()[0]?.protocolVersion };
    } catch (error) {
      this.#servers.delete(id);
      throw error;
    }
  }

  async #start(id: string, target: DaemonTarget): Promise<DaemonServer> {
    if (this.#servers.size >= this.#options.max) await this.#closeLeastUsed();
    const host = await createSingleHost(this.#context, 'server', restoreTarget(this.#context, target), {
      name: target.label.slice(0, 100),
      // Unused servers are closed as a whole.
      connectionIdleTimeout: 2 * this.#options.idle,
      maxShare: 1,
    });
    const info = await connectNow(host);
    const onError = (error: unknown) => logError(this.#context.screen, error);
    const handler = createHandler(host.toServer({ name: info?.name, version: info?.version }), {
      path: getPath(id),
      health: false,
      onError,
    });
    const server = {
      id,
      label: target.label,
      url: target.http?.url,
      host,
      handler,
      listener: toNode(handler),
      active: 0,
      usedAt: 0,
    };
    this.#opened.set(id, server);
    return server;
  }

  /** Returns the listener for requests to a path, and counts them. */
  findListener(path: string): ServerListener | undefined {
    const server = [...this.#opened.values()].find(({ id }) => getPath(id) === path);
    if (!server) return undefined;
    return (request, response, next) => {
      server.active += 1;
      response.once('close', () => {
        server.active -= 1;
        server.usedAt = this.#options.now();
      });
      server.listener(request, response, next);
    };
  }

  /** Closes the servers that have not been used for a while. */
  async closeUnused(): Promise<void> {
    const { now, idle } = this.#options;
    const unused = [...this.#opened.values()].filter(({ active, usedAt }) => active === 0 && now() - usedAt >= idle);
    await Promise.all(unused.map(server => this.#close(server)));
  }

  /** Closes the servers at a URL, and returns their number. */
  async closeUrl(url: string): Promise<number> {
    const found = [...this.#opened.values()].filter(each => each.url !== undefined && new URL(each.url).href === url);
    await Promise.all(found.map(server => this.#close(server)));
    return found.length;
  }

  list(): DaemonServerState[] {
    return [...this.#opened.values()].map(({ label, active, usedAt }) => ({
      label,
      active,
      unused: Math.max(0, Math.round(this.#options.now() - usedAt)),
    }));
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#servers.values());
    await Promise.all([...this.#opened.values()].map(server => this.#close(server)));
  }

  async #closeLeastUsed(): Promise<void> {
    const [least] = [...this.#opened.values()].filter(({ active }) => active === 0).sort((a, b) => a.usedAt - b.usedAt);
    if (!least)
      throw new TenonError(
        'daemon/full',
        `the maximum number of kept servers is ${this.#options.max}, and all are in use`,
        {
          hint: 'run `tenon daemon stop`, and raise the number with `tenon daemon start --max`',
        },
      );
    await this.#close(least);
  }

  async #close({ id, handler, host }: DaemonServer): Promise<void> {
    this.#servers.delete(id);
    this.#opened.delete(id);
    await handler.close({ timeout: 1000 });
    await host.close();
  }
}

const getPath = (id: string): string => `/servers/${id}`;

/**
 * Connects to the server of a host, with the capabilities of the commands, so that they share this connection. Returns
 * the name and version of the server.
 */
async function connectNow(host: Host): Promise<Pick<Implementation, 'name' | 'version'> | undefined> {
  const client = await connect(host.toServer(), { name: 'tenon-cli', ...cancelQuestions });
  try {
    for await (const _ of client.listTools()) break;
  } catch {
    // The state of the server contains the error.
  } finally {
    await client.close();
  }
  const [server] = host.getServers();
  if (server?.state === 'connected')
    return server.serverInfo && { name: server.serverInfo.name, version: server.serverInfo.version };
  await host.close();
  throw new TenonError('daemon/refused', server?.reason ?? 'the server cannot be connected to');
}
