import { type JsonObject, thenMaybe } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import type { JsonRpcRequest } from '../../jsonrpc/message.js';
import type { TolerantConnection } from '../../jsonrpc/tolerance.js';
import { requireHandshake } from '../../protocol/negotiation/classify-request.js';
import type { InitializeParams } from '../../protocol/params-and-results.js';
import { readParams } from '../../protocol/tolerant-reading.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { negotiateDialect } from '../../protocol/versions/index.js';
import { getCapabilitiesFor } from '../capabilities.js';
import { decodeParams, requireParams } from '../decode-encode.js';
import type { ClientSession } from '../request-context.js';
import type { RequesterInfo, ServerRuntime } from '../server-runtime.js';

/** Checks the params of `initialize` and chooses the protocol version. Throws -32602 when they are invalid. */
export function negotiate(
  { servedDialects }: ServerRuntime,
  request: JsonRpcRequest,
  connection: TolerantConnection,
): { readonly dialect: Dialect; readonly params: InitializeParams } {
  requireHandshake(servedDialects);
  const params = readParams(connection, 'initialize', request.params ?? {});
  requireParams('initialize', params);
  const dialect = negotiateDialect(params.protocolVersion, servedDialects);
  return { dialect, params: decodeParams('initialize', params, dialect, connection) };
}

/**
 * Returns the result of `initialize`.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */
export function initialize(
  server: ServerRuntime,
  dialect: Dialect,
  caller: CallerInfo,
  session: ClientSession | undefined,
  request?: RequesterInfo['request'],
): JsonObject | Promise<JsonObject> {
  const requester = { caller, dialect, session, request };
  return thenMaybe(server.backend.getInstructions(requester, server), instructions => {
    const result = {
      protocolVersion: dialect.protocolVersion,
      capabilities: getCapabilitiesFor(server, requester) as JsonObject,
      serverInfo: server.info,
      ...(instructions === undefined ? {} : { instructions }),
    };
    return dialect.transforms.encode.result?.('initialize')?.(result, {}) ?? result;
  });
}
