import type { MethodOperation } from '../../handler/operation.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { readLoggingLevel } from '../../protocol/content.js';
import type { RequestContext } from '../request-context.js';
import type { ServerRuntime } from '../server-runtime.js';
import { createNotFoundError, resolveResource } from './resources.js';

/** Sets the log level of a session. */

export function setLoggingLevel(
  { params }: MethodOperation<'logging/setLevel'>,
  requestContext: RequestContext,
): JsonObject {
  const level = readLoggingLevel(params.level);
  if (level !== undefined) requestContext.setLogLevel?.(level);
  return {};
}

export function subscribeResource(
  { params }: MethodOperation<'resources/subscribe'>,
  requestContext: RequestContext,
  runtime: ServerRuntime,
): JsonObject {
  const { uri } = params;
  if (resolveResource(runtime, uri, requestContext) === undefined) throw createNotFoundError(uri, requestContext);
  requestContext.subscriptions?.add(uri);
  return {};
}

export function unsubscribeResource(
  { params }: MethodOperation<'resources/unsubscribe'>,
  requestContext: RequestContext,
): JsonObject {
  requestContext.subscriptions?.remove(params.uri);
  return {};
}
