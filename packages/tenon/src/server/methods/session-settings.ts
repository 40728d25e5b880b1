import type { JsonObject } from '@tenon/base';
import { readLoggingLevel } from '../../protocol/content.js';
import type { MethodCall } from '../server-runtime.js';
import { createNotFoundError } from './resources.js';

/** Sets the log level of a session. */

export function setLoggingLevel({ params, requestContext }: MethodCall<'logging/setLevel'>): JsonObject {
  const level = readLoggingLevel(params.level);
  if (level !== undefined) requestContext.setLogLevel?.(level);
  return {};
}

export function subscribeResource({ params, found, requestContext }: MethodCall<'resources/subscribe'>): JsonObject {
  const { uri } = params;
  if (found === undefined) throw createNotFoundError(uri, requestContext);
  requestContext.subscriptions?.add(uri);
  return {};
}

export function unsubscribeResource({ params, requestContext }: MethodCall<'resources/unsubscribe'>): JsonObject {
  requestContext.subscriptions?.remove(params.uri);
  return {};
}
