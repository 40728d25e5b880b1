import type { ServerResponse } from 'node:http';
import type { RequestHandler, RequestHeaders } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { DRAIN_TIMEOUT, runUntilSignal } from '../run-until-signal.js';
import { logError } from '../serving/log-error.js';
import { createUsageError } from '../usage-error.js';

/** Options of a command that serves one server on standard streams or over HTTP. */
export interface ServeHandlerOptions {
  /** Port to serve on. Absent: the server uses standard input and output. */
  readonly port?: number | undefined;
  readonly json?: boolean | undefined;
  /** Title above the URL. */
  readonly title: string;
  /** Called when the server has ended. */
  readonly onEnd?: () => void | Promise<void>;
}

/** Header that identifies the connection of a request. Only this process sets it. */
const CONNECTION_HEADER = 'x-tenon-connection';
const openResponses = new Map<string, ServerResponse>();

/** Closes the connection of an HTTP request. */
export function closeConnection(request: RequestHeaders | undefined): void {
  const id = request?.header(CONNECTION_HEADER);
  if (id !== undefined) openResponses.get(id)?.destroy();
}

/** Serves until a signal, or until the client on standard streams disconnects. */
export async function serveHandler(
  context: CliContext,
  server: RequestHandler,
  options: ServeHandlerOptions,
): Promise<void> {
  const { port, json, onEnd } = options;
  if (port === undefined && json)
    throw createUsageError('--json needs --port, because stdout carries the protocol', 'remove --json, or pass --port');
  const end = { close: async () => void (await onEnd?.()) };
  await runUntilSignal(context, end, () =>
    port === undefined ? serveOverStdio(context, server) : serveOverHttp(context, server, port, options),
  );
}

async function serveOverStdio({ screen, terminal }: CliContext, server: RequestHandler) {
  screen.releaseStdout();
  terminal.releaseStdin();
  const { serveStdio } = await import('tenon/stdio');
  const { close, closed } = await serveStdio(server, { exit: false });
  return { ended: closed, close };
}

async function serveOverHttp(
  { screen }: CliContext,
  server: RequestHandler,
  port: number,
  { json, title }: ServeHandlerOptions,
) {
  const [{ createHandler }, { toNode }, http] = await Promise.all([
    import('tenon/http'),
    import('tenon/node'),
    import('../http/listen.js'),
  ]);
  if (json) screen.startLog({ json });
  const handler = createHandler(server, { onError: error => logError(screen, error) });
  const listener = toNode(handler);
  let count = 0;
  const node = http.createHttpServer((request, response) => {
    count += 1;
    const id = String(count);
    request.headers[CONNECTION_HEADER] = id;
    openResponses.set(id, response);
    response.once('close', () => openResponses.delete(id));
    listener(request, response, () => response.writeHead(404).end());
  });
  const url = `${await http.startListening(node, port, '127.0.0.1')}/mcp`;
  if (json) screen.printEvent({ event: 'listening', url });
  else screen.print(`\n${title}\n\n  ${url}\n\nCtrl-C ends it.`);
  return {
    async close() {
      const closed = new Promise<void>(resolve => node.close(() => resolve()));
      await handler.close({ timeout: DRAIN_TIMEOUT });
      node.closeAllConnections();
      await closed;
    },
  };
}
