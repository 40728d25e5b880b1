import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSandboxResponse } from '@tenon/apps/sandbox';
import { createHttpServer, startListening } from '../../http/listen.js';
import { readBounded } from '../../http/read-bounded.js';

const LOOPBACK = '127.0.0.1';
/** Maximum size of a report of a browser, in bytes. */
const MAX_REPORT = 65_536;

/** A page of the sandbox: the frame of one shown app. */
export interface SandboxPage {
  /** Origin of the page of the console that shows it. */
  readonly hostOrigin: string;
  /** Receives the report of a browser about what the policy of the page has refused. */
  onReport(report: unknown): void;
}

/**
 * The second origin of a console, which serves the frames of apps and nothing else. It listens from the first app on. The
 * address of each frame has a secret, so that no other page can load or use one.
 */
export class AppSandbox {
  readonly #pages = new Map<string, SandboxPage>();
  #server: Server | undefined;
  #opening: Promise<string> | undefined;
  #origin: string | undefined;
  #isClosed = false;

  /** Origin of the frames. `undefined`: no app was opened yet. */
  get origin(): string | undefined {
    return this.#origin;
  }

  /** Adds a page, and returns its address. */
  async add(page: SandboxPage): Promise<{ readonly key: string; readonly url: string }> {
    this.#opening ??= this.#open();
    const origin = await this.#opening;
    const key = randomBytes(32).toString('base64url');
    this.#pages.set(key, page);
    return { key, url: `${origin}/${key}` };
  }

  remove(key: string): void {
    this.#pages.delete(key);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pages.clear();
    await this.#opening?.catch(() => {});
    const server = this.#server;
    if (!server) return;
    const closed = new Promise<void>(resolve => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  async #open(): Promise<string> {
    const server = createHttpServer((request, response) => void this.#respond(request, response));
    try {
      const origin = await startListening(server, 0, LOOPBACK);
      this.#server = server;
      if (!this.#isClosed) this.#origin = origin;
      return origin;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url: address = '/', headers } = request;
    const port = (this.#server?.address() as AddressInfo | null | undefined)?.port;
    // A name that leads to this machine by DNS is the one of an attacker.
    if (headers.host !== `${LOOPBACK}:${port}`) return send(response, 421, `Host: expected ${LOOPBACK}:${port}`);
    const [path = ''] = address.split('?', 1);
    const [, key = '', part] = path.split('/');
    const page = this.#pages.get(key);
    if (!page) return send(response, 404, 'not found');
    if (part === undefined && method === 'GET') return this.#sendPage(request, response, page, key);
    if (part !== 'report' || method !== 'POST') return send(response, 404, 'not found');
    try {
      page.onReport(JSON.parse(await readBounded(request, MAX_REPORT)));
      send(response, 204);
    } catch {
      send(response, 400, 'Bad request');
    }
  }

  #sendPage({ url = '/', headers }: IncomingMessage, response: ServerResponse, page: SandboxPage, key: string): void {
    const target = headers['sec-fetch-dest'];
    if (target !== undefined && target !== 'iframe') return send(response, 403, 'Sec-Fetch-Dest: expected iframe');
    const { status, headers: own, body } = createSandboxResponse(url, { hostOrigins: [page.hostOrigin] });
    const policy = own['content-security-policy'];
    // The page of the app inherits the policy. Its own address is no base for another one.
    const reporting = policy && { 'content-security-policy': `${policy}; report-uri ${this.#origin}/${key}/report` };
    response.writeHead(status, { ...own, ...reporting }).end(body);
  }
}

function send(response: ServerResponse, status: number, text?: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  response.end(text);
}
