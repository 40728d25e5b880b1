import { type ErrorObject, isLoopbackHost } from '@tenon/base';
import { createPage, renderHtml } from '@tenon/base/writers';
import type { Id } from '../../../jsonrpc/message.js';
import type { HttpServerContext } from './context.js';
import { refuse } from './error-response.js';
import { type Exchange, resolveFullPath } from './exchange.js';

/** Characters of a URL that mean nothing to a shell. */
const PLAIN_URL = /^https?:\/\/[\w.:[\]-]+[\w./~%-]*$/;
const PLACEHOLDER_URL = 'https://SERVER/mcp';

/**
 * Answers a browser with a short page about the endpoint. The page names the server only if everybody may call it.
 */
export async function replyPage(context: HttpServerContext, exchange: Exchange): Promise<void> {
  const url = getUrl(exchange);
  const line = await createLine(context, url);
  const { title, name = 'MCP server' } = (context.isPublic ? context.handler.info : undefined) ?? {};
  const body = renderHtml`<p>This is an endpoint of the Model Context Protocol, for programs. Browsers cannot use it.</p>
<p>Add this URL to your MCP client:</p>
<pre>${url}</pre>
<p>Or list its tools in a terminal:</p>
<pre>npx @tenon/cli list ${url}
${line ?? ''}</pre>`;
  const page = createPage(405, title ?? name, body, undefined, { allow: 'POST, OPTIONS', vary: 'Accept' });
  exchange.reply(page.status, page.body, page.headers);
}

/** Refuses a request whose sender does not know how to begin. The error has a command line that works. */
export async function refuseWithLine(
  context: HttpServerContext,
  exchange: Exchange,
  status: number,
  { code, message }: ErrorObject,
  id?: Id | null,
): Promise<void> {
  const curl = await createLine(context, getUrl(exchange));
  if (curl === undefined) return refuse(exchange, status, { code, message }, id);
  const hint = `${message}. To try the server: npx @tenon/cli list ${getUrl(exchange)}, or the line in data.curl`;
  refuse(exchange, status, { code, message: hint, data: { curl } }, id);
}

/** Returns the line of curl, which works only without a token. */
function createLine({ isPublic, handler }: HttpServerContext, url: string): Promise<string> | undefined {
  return isPublic ? handler.createCurlLine?.(url) : undefined;
}

/** Returns the URL of the endpoint as the client wrote it. A proxy may have ended TLS. */
function getUrl(exchange: Exchange): string {
  const host = exchange.header('host') ?? '';
  const scheme = isLoopbackHost(host.replace(/:\d*$/, '').toLowerCase()) ? 'http' : 'https';
  const url = `${scheme}://${host}${resolveFullPath(exchange.path, exchange.mount)}`;
  return PLAIN_URL.test(url) ? url : PLACEHOLDER_URL;
}
