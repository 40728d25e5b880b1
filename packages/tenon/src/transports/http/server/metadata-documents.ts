import { INTERNAL_ERROR } from '@tenon/base';
import { createInvalidRequest, refuse } from './error-response.js';
import type { Exchange } from './exchange.js';

/** Text of a public JSON document, which any web page may read. */
export type MetadataDocument = string;

const CORS_HEADERS = { 'access-control-allow-origin': '*' };
/** Headers of public documents. The cache lifetime is short, because the server may change its issuer. */
const DOCUMENT_HEADERS = {
  ...CORS_HEADERS,
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
};
const ALLOW = 'GET, HEAD, OPTIONS';

export function serveDocument(exchange: Exchange, document: MetadataDocument): void {
  switch (exchange.method) {
    case 'GET':
      return exchange.reply(200, document, DOCUMENT_HEADERS);
    case 'HEAD':
      return exchange.reply(200, undefined, DOCUMENT_HEADERS);
    case 'OPTIONS':
      return exchange.reply(204, undefined, {
        ...CORS_HEADERS,
        'access-control-allow-methods': ALLOW,
        // Clients send the header with the protocol version for these documents too.
        'access-control-allow-headers': 'accept, content-type, mcp-protocol-version',
        'access-control-max-age': '600',
      });
    default:
      return refuse(exchange, 405, createInvalidRequest('Method not allowed. Use GET'), undefined, {
        ...CORS_HEADERS,
        allow: ALLOW,
      });
  }
}

/** Recommended time until the next request for a document that could not be loaded, in seconds. */
const RETRY_AFTER = '10';

/** Serves a document that is loaded from another server. */
export async function serveRemoteDocument(
  exchange: Exchange,
  load: () => Promise<MetadataDocument | undefined>,
): Promise<void> {
  const isRead = exchange.method === 'GET' || exchange.method === 'HEAD';
  const document = isRead ? await load() : '';
  if (exchange.clientClosed) return;
  if (document !== undefined) return serveDocument(exchange, document);
  const error = { code: INTERNAL_ERROR, message: 'The authorization server cannot be reached. Try again in 10 s' };
  refuse(exchange, 503, error, undefined, { ...CORS_HEADERS, 'retry-after': RETRY_AFTER });
}
