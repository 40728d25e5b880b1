import type { MessageContext, RequestHeaders } from '../../../jsonrpc/transport.js';
import { NodeExchange } from '../http/node-exchange.js';
import type { SentContext } from './messages.js';

/** Converts the context of a message so that it can cross the channel to another process. */
export function toSentContext({ auth, address, relatedTo, request }: MessageContext = {}): SentContext {
  return {
    ...(auth && { auth }),
    ...(address !== undefined && { address }),
    ...(relatedTo !== undefined && { relatedTo }),
    ...(request && { headers: readHeaders(request) }),
  };
}

/** Reads all headers of a request. Requests of `node:http` list their headers. */
function readHeaders(request: RequestHeaders): Readonly<Record<string, string>> {
  if (!(request instanceof NodeExchange)) return {};
  return Object.fromEntries(Object.keys(request.raw.headers).map(name => [name, request.header(name) ?? '']));
}
