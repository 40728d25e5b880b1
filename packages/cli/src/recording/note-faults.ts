import type { Recording } from '@tenon/testing';
import { formatCount, type Screen } from '../screen.js';

/**
 * Notes on the screen that a recording has messages with injected faults, because a replay does not inject them again.
 *
 * @param server The only server whose messages count. Default: all.
 */
export function noteFaults(screen: Screen, file: string, { messages }: Recording, server?: string): void {
  const counts = new Map<string, number>();
  for (const { fault, ...message } of messages)
    if (fault && (server === undefined || message.server === server))
      counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1);
  if (counts.size === 0) return;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const kinds = [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
  screen.note(
    `${file}: the recording has ${formatCount(total, 'message')} with an injected fault (${kinds}). The replay has the messages without it. To inject it again, open the file with tenon console, and make a test of the call`,
  );
}
