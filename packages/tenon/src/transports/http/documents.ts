import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import type { Exchange } from './exchange.js';
import { invalidRequest, refuse } from './refusal.js';

/** The text of a JSON document that anybody may read, from any page. */
export type Document = string;

const OPEN = { 'access-control-allow-origin': '*' };
/** Seconds for which what was read stays good: an issuer may be exchanged for another. */
const FIELDS = { ...OPEN, 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
const ALLOW = 'GET, HEAD, OPTIONS';

/** The path as the client knows it. Routers leave a slash where they have cut off all. */
export function fullPath(path: string, mount: string): string {
  return mount !== '' && path === '/' ? mount : mount + path;
}

export function serveDocument(exchange: Exchange, document: Document): void {
  switch (exchange.method) {
    case 'GET':
      return exchange.reply(200, document, FIELDS);
    case 'HEAD':
      return exchange.reply(200, undefined, FIELDS);
    case 'OPTIONS':
      return exchange.reply(204, undefined, {
        ...OPEN,
        'access-control-allow-methods': ALLOW,
        // Clients say which revision they speak, even here.
        'access-control-allow-headers': 'accept, content-type, mcp-protocol-version',
        'access-control-max-age': '600',
      });
    default:
      return refuse(exchange, 405, invalidRequest('Only reading is served here'), undefined, { ...OPEN, allow: ALLOW });
  }
}

/** Seconds after which a document that could not be loaded is worth another request. */
const RETRY_AFTER = '10';

/** Serves a document that is loaded for those who read it. */
export async function serveRemoteDocument(
  exchange: Exchange,
  load: () => Promise<Document | undefined>,
): Promise<void> {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
  const document = isRead ? await load() : '';
  if (exchange.gone) return;
  if (document !== undefined) return serveDocument(exchange, document);
  const error = { code: INTERNAL_ERROR, message: 'The authorization server cannot be reached. Try again in 10 s' };
  refuse(exchange, 503, error, undefined, { ...OPEN, 'retry-after': RETRY_AFTER });
}
