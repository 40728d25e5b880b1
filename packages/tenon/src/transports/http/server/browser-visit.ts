import type { HttpServerContext } from './context.js';
import { replyInternalError } from './error-response.js';
import type { Exchange } from './exchange.js';

/** Tells if a browser opened the URL of the endpoint. Clients of MCP request an event stream, not a page. */
export function isBrowserVisit(exchange: Pick<Exchange, 'method' | 'header'>): boolean {
  if (exchange.method !== 'GET' || exchange.header('mcp-session-id') !== undefined) return false;
  const accept = exchange.header('accept') ?? '';
  return accepts(accept, 'text/html') && !accepts(accept, 'text/event-stream');
}

function accepts(header: string, type: string): boolean {
  return header.split(',').some(entry => {
    const [name = '', ...parameters] = entry.toLowerCase().split(';');
    return name.trim() === type && !parameters.some(each => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(each));
  });
}

/** Answers a browser with a page about the endpoint. Clients of MCP never load the code of the page. */
export function replyVisitor(context: HttpServerContext, exchange: Exchange): void {
  import('./first-contact.js')
    .then(({ replyPage }) => replyPage(context, exchange))
    .catch(reason => replyInternalError(context, exchange, reason));
}
