import { TASKS } from 'tenon/host-internals';
import type { ListEntries } from '../connections/list-cache.js';
import type { UpstreamConnection } from '../connections/upstream-connection.js';

/**
 * Tells if callers may request a task for calls of the tool. Some servers declare this per tool, and others decide per
 * call. Callers never need to request one, because the host waits for tasks.
 */
export function getTaskSupport(
  { serverInfo }: UpstreamConnection,
  { execution }: ListEntries['tools'],
): 'optional' | undefined {
  const capabilities = serverInfo?.capabilities;
  if (capabilities?.extensions?.[TASKS] !== undefined) return 'optional';
  const support = capabilities?.tasks === undefined ? undefined : execution?.taskSupport;
  return support === undefined || support === 'forbidden' ? undefined : 'optional';
}
