import type { MessageContext } from '../../../jsonrpc/transport.js';
import { NodeExchange } from '../http/node-exchange.js';
import type { SentContext } from './messages.js';

/** Converts the context of a message so that it can cross the channel to another process. */
export function toSentContext({ auth, address, relatedTo, request }: MessageContext = {}): SentContext {
  // Only requests of `node:http` list their headers.
  const names = request instanceof NodeExchange ? Object.keys(request.raw.headers) : [];
  return {
    ...(auth && { auth }),
    ...(address !== undefined && { address }),
    ...(relatedTo !== undefined && { relatedTo }),
    ...(request && { headers: Object.fromEntries(names.map(name => [name, request.header(name) ?? ''])) }),
  };
}
