import type { JsonObject } from '../../jsonrpc/message.js';
import { readLoggingLevel } from '../../protocol/content.js';
import type { Operation } from '../middleware/compose-middleware.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import { createNotFoundError, resolveResource } from './resources.js';

/** Sets the log level of a session. */

export function setLoggingLevel(
  _runtime: ServerRuntime,
  { params }: Operation,
  requestContext: RequestContext,
): JsonObject {
  const level = readLoggingLevel(params.level);
  if (level !== undefined) requestContext.setLogLevel?.(level);
  return {};
}

export function subscribeResource(
  runtime: ServerRuntime,
  { params }: Operation,
  requestContext: RequestContext,
): JsonObject {
  const uri = params.uri as string;
  if (resolveResource(runtime, uri, requestContext) === undefined) throw createNotFoundError(uri, requestContext);
  requestContext.subscriptions?.add(uri);
  return {};
}

export function unsubscribeResource(
  _runtime: ServerRuntime,
  { params }: Operation,
  requestContext: RequestContext,
): JsonObject {
  requestContext.subscriptions?.remove(params.uri as string);
  return {};
}
