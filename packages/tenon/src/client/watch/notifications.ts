import { isObject, type JsonObject, TenonError } from '@tenon/base';
import { isId } from '../../jsonrpc/message.js';
import { readLoggingLevel } from '../../protocol/content.js';
import { SUBSCRIPTION_ID } from '../../protocol/meta.js';
import { isNotification, notifications } from '../../protocol/methods.js';
import type { CallContext } from '../calls/call-context.js';

const INVALIDATED_LISTS: { readonly [method: string]: readonly string[] | undefined } = {
  'notifications/tools/list_changed': ['tools/list'],
  'notifications/prompts/list_changed': ['prompts/list'],
  'notifications/resources/list_changed': ['resources/list', 'resources/templates/list'],
};

/** Handles a notification of the server: removes stale cache entries and emits events. */
export function handleNotification(pipeline: CallContext, method: string, params: JsonObject): void {
  const issue = isNotification(method) ? notifications[method].params(params) : undefined;
  if (issue) {
    pipeline.emitter.emit(
      'error',
      new TenonError('peer/malformed', `the notification is malformed: ${issue}`, { method }),
    );
    return;
  }
  const { cache, toolCache } = pipeline;
  const stale = Object.hasOwn(INVALIDATED_LISTS, method) ? INVALIDATED_LISTS[method] : undefined;
  if (stale) cache.invalidate({ methods: stale });
  if (method === 'notifications/tools/list_changed') toolCache.clear();
  if (method === 'notifications/resources/updated') cache.invalidate({ uri: params.uri as string });
  emitNotification(pipeline, method, params);
}

function emitNotification({ emitter }: CallContext, method: string, params: JsonObject): void {
  switch (method) {
    case 'notifications/progress':
      return;
    case 'notifications/message': {
      const level = readLoggingLevel(params.level);
      const { logger, data } = params;
      if (level === undefined) return;
      return emitter.emit('log', { level, data, ...(typeof logger === 'string' ? { logger } : {}) });
    }
    case 'notifications/resources/updated':
      return emitter.emit('change', { uri: params.uri as string });
    case 'notifications/tools/list_changed':
      return emitter.emit('change', { list: 'tools' });
    case 'notifications/prompts/list_changed':
      return emitter.emit('change', { list: 'prompts' });
    case 'notifications/resources/list_changed':
      return emitter.emit('change', { list: 'resources' });
    case 'notifications/elicitation/complete':
      return emitter.emit('elicitationComplete', { elicitationId: params.elicitationId as string });
    default: {
      const subscription = isObject(params._meta) ? params._meta[SUBSCRIPTION_ID] : undefined;
      return emitter.emit('notification', { method, params, ...(isId(subscription) ? { subscription } : {}) });
    }
  }
}
