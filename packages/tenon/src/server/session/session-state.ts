import type { JsonObject } from '@tenon/base';
import type { CallerInfo } from '../../handler/context.js';
import { LISTS } from '../../protocol/lists.js';
import type { SessionState } from '../../protocol/request-handler.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import type { ServerRuntime } from '../server-runtime.js';

declare const crypto: { randomUUID(): string };

/** Creates the state of a session after `initialize`. */
export function createSessionState({ protocolVersion }: Dialect, { client, capabilities }: CallerInfo): SessionState {
  return {
    protocolVersion,
    client,
    capabilities,
    isInitialized: false,
    subscribedUris: [],
    id: crypto.randomUUID(),
  };
}

/** Notifies a client of all lists and of the given resources, because some of them may have changed. */
export function notifyAllChanges(
  runtime: ServerRuntime,
  uris: Iterable<string>,
  notify: (method: string, params: JsonObject) => void,
): void {
  const { capabilities } = runtime.backend;
  for (const list of LISTS)
    if (runtime[list].isOffered || capabilities?.[list]?.listChanged) notify(`notifications/${list}/list_changed`, {});
  for (const uri of uris) notify('notifications/resources/updated', { uri });
}
