import { isObject, type JsonObject, TenonError } from '@tenon/base';
import { isId } from '../../jsonrpc/message.js';
import { readLoggingLevel } from '../../protocol/content.js';
import { findChangedList } from '../../protocol/lists.js';
import { SUBSCRIPTION_ID } from '../../protocol/meta.js';
import { isNotification, notifications } from '../../protocol/methods.js';
import type { CallContext } from '../calls/call-context.js';

/** Handles a notification of the server: removes stale cache entries and emits events. */
export function handleNotification(
  { cache, toolCache, emitter }: CallContext,
  method: string,
  params: JsonObject,
  peer?: string,
): void {
  const issue = isNotification(method) ? notifications[method].params(params) : undefined;
  if (issue)
    return emitter.emit(
      'error',
      new TenonError('peer/malformed', `the notification is malformed: ${issue}`, { peer, method }),
    );
  const list = findChangedList(method);
  if (list === 'tools') toolCache.clear();
  if (list !== undefined) {
    cache.invalidate({ methods: [`${list}/list`, `${list}/templates/list`] });
    return emitter.emit('change', { list });
  }
  switch (method) {
    case 'notifications/progress':
      return;
    case 'notifications/message': {
      const level = readLoggingLevel(params.level);
      const { logger, data } = params;
      if (level === undefined) return;
      return emitter.emit('log', { level, data, ...(typeof logger === 'string' && { logger }) });
    }
    case 'notifications/resources/updated': {
      const uri = params.uri as string;
      cache.invalidate({ uri });
      return emitter.emit('change', { uri });
    }
    case 'notifications/elicitation/complete':
      return emitter.emit('elicitationComplete', { elicitationId: params.elicitationId as string });
    default: {
      const subscription = isObject(params._meta) ? params._meta[SUBSCRIPTION_ID] : undefined;
      return emitter.emit('notification', { method, params, ...(isId(subscription) && { subscription }) });
    }
  }
}
