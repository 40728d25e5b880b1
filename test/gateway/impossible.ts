import type { ProtocolVersion } from '../support/official-schema.js';
import { impossibleAsking } from './impossible/asking.js';
import { impossibleContent } from './impossible/content.js';
import type { Impossible, Span } from './impossible/impossible-row.js';
import { impossibleTasks } from './impossible/tasks.js';
import type { Pair } from './pair.js';

/** The first of several that are of the same feature holds. */
export const impossibleRows: readonly Impossible[] = [...impossibleContent, ...impossibleAsking, ...impossibleTasks];

export function findImpossible(feature: string, { client, server }: Pair): Impossible | undefined {
  const least = client < server ? client : server;
  return impossibleRows.find(
    ({ feature: name, where }) =>
      name === feature &&
      isWithin(client, where.client) &&
      isWithin(server, where.server) &&
      isWithin(least, where.either),
  );
}

function isWithin(version: ProtocolVersion, { from, before }: Span = {}): boolean {
  return (from === undefined || version >= from) && (before === undefined || version < before);
}

/** What `impossibleAt` finds, for people: one line for each row. */
export function describeImpossible({ feature, where, reason }: Impossible): string {
  const spans = (['client', 'server', 'either'] as const).flatMap(who => {
    const { from, before } = where[who] ?? {};
    const text = [from && `from ${from}`, before && `before ${before}`].filter(Boolean).join(' and ');
    return text === '' ? [] : [`${who === 'either' ? 'client or server' : who} ${text}`];
  });
  return `${feature} | ${spans.join('; ')} | ${reason}`;
}
