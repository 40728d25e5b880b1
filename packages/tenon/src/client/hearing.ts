import { TenonError } from '../jsonrpc/error.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { isId, isObject } from '../jsonrpc/message.js';
import { type LoggingLevel, readLoggingLevel } from '../model/content.js';
import { SUBSCRIPTION_ID } from '../model/meta.js';
import { isNotification, notifications } from '../model/methods.js';
import type { Caller } from './caller.js';

const STALE: { readonly [method: string]: readonly string[] | undefined } = {
  'notifications/tools/list_changed': ['tools/list'],
  'notifications/prompts/list_changed': ['prompts/list'],
  'notifications/resources/list_changed': ['resources/list', 'resources/templates/list'],
};

/** What a notification of the server means: what is kept may be stale, and somebody may want to know. */
export function heard(caller: Caller, method: string, params: JsonObject): void {
  const problem = isNotification(method) ? notifications[method].params(params) : undefined;
  if (problem) {
    caller.emitter.emit('problem', new TenonError('peer/malformed', `sent a malformed ${method}: ${problem}`));
    return;
  }
  forget(caller, method, params);
  tell(caller, method, params);
}

function forget({ cache, toolbox }: Caller, method: string, params: JsonObject): void {
  const stale = Object.hasOwn(STALE, method) ? STALE[method] : undefined;
  if (stale) cache.forget({ methods: stale });
  if (method === 'notifications/tools/list_changed') toolbox.forget();
  if (method === 'notifications/resources/updated') cache.forget({ uri: params.uri as string });
}

function tell({ emitter }: Caller, method: string, params: JsonObject): void {
  switch (method) {
    case 'notifications/progress':
      return;
    case 'notifications/message': {
      const { level, logger, data } = params as { level: LoggingLevel; logger?: string; data: unknown };
      return emitter.emit('log', {
        level: readLoggingLevel(level) ?? level,
        data,
        ...(logger === undefined ? {} : { logger }),
      });
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
      return emitter.emit('elicited', { elicitationId: params.elicitationId as string });
    default: {
      const subscription = isObject(params._meta) ? params._meta[SUBSCRIPTION_ID] : undefined;
      return emitter.emit('notification', { method, params, ...(isId(subscription) ? { subscription } : {}) });
    }
  }
}
