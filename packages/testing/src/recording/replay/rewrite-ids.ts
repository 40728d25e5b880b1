import { isObject, type JsonObject } from '@tenon/base';
import type { JsonRpcMessage } from 'tenon';
import {
  type Id,
  isId,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  SUBSCRIPTION_ID,
} from 'tenon/testing-internals';

/** Replacements of the identifiers of a recorded message. A function that returns `undefined` keeps the identifier. */
export interface IdReplacements {
  /** Replaces the ID of a request that the client sent. */
  readonly clientId?: (id: Id) => Id | undefined;
  /** Replaces the ID of a request that the server sent. */
  readonly serverId?: (id: Id) => Id | undefined;
  /** Replaces a progress token that the client chose. */
  readonly progressToken?: (token: Id) => Id | undefined;
}

/** Replaces the identifiers of a message of a server. */
export function rewriteServerMessage(message: JsonRpcMessage, ids: IdReplacements): JsonRpcMessage {
  if (!('method' in message)) return rewriteResponse(message, ids);
  const params = message.params && rewriteParams(message.method, message.params, ids);
  const changed = params === undefined ? {} : { params };
  if (!isRequest(message)) return { ...message, ...changed };
  return { ...message, ...changed, id: ids.serverId?.(message.id) ?? message.id };
}

function isRequest(message: JsonRpcRequest | JsonRpcNotification): message is JsonRpcRequest {
  return 'id' in message;
}

function rewriteResponse(response: JsonRpcResponse, ids: IdReplacements): JsonRpcResponse {
  if ('error' in response) {
    const { id } = response;
    return { ...response, id: id === undefined || id === null ? id : (ids.clientId?.(id) ?? id) };
  }
  const { result } = response;
  const { _meta } = result;
  const rewritten = isObject(_meta) ? { ...result, _meta: rewriteMeta(_meta, ids) } : result;
  return { ...response, id: ids.clientId?.(response.id) ?? response.id, result: rewritten };
}

function rewriteParams(method: string, params: JsonObject, ids: IdReplacements): JsonObject {
  const { _meta, progressToken, requestId } = params;
  const rewritten = { ...params };
  if (isObject(_meta)) rewritten._meta = rewriteMeta(_meta, ids);
  if (method === 'notifications/progress' && isId(progressToken)) {
    rewritten.progressToken = ids.progressToken?.(progressToken) ?? progressToken;
  }
  if (method === 'notifications/cancelled' && isId(requestId)) {
    rewritten.requestId = ids.serverId?.(requestId) ?? ids.clientId?.(requestId) ?? requestId;
  }
  return rewritten;
}

function rewriteMeta(meta: JsonObject, ids: IdReplacements): JsonObject {
  const id = meta[SUBSCRIPTION_ID];
  return isId(id) ? { ...meta, [SUBSCRIPTION_ID]: ids.clientId?.(id) ?? id } : meta;
}
