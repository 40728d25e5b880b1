import { toTypedValues } from '@tenon/base';
import { classifyMessage, createFailure, type Id } from '../../../../jsonrpc/message.js';
import type { SharedStores } from '../../../../protocol/request-handler.js';
import { SERVER_STOPPED_ERROR } from './answer-log.js';
import { type LogEntry, readEntries, toLogKey } from './event-log.js';
import type { ServerReplica } from './server-replica.js';
import { createEntryTag } from './stored-id.js';

interface OrphanedStreamOptions {
  /** Prefix of the keys of the log. */
  readonly prefix: string;
  /** Lifetime of the last entry, in milliseconds. */
  readonly ttl: number;
  /** Tells if this process writes the stream of this name. */
  readonly isWriting: (name: string) => boolean;
}

/**
 * Ends a stream that nobody writes with an error response for each open request. Its process has stopped, or gave up
 * because the store failed for too long, or the store has lost the end of the stream.
 *
 * The entry gets the number that the process would write next. If the process was only suspended, its next append is
 * refused. Does nothing if another process that runs began the stream.
 */
export async function endOrphanedStream(
  { values }: SharedStores,
  replica: ServerReplica,
  { prefix, ttl, isWriting }: OrphanedStreamOptions,
): Promise<void> {
  const typedValues = toTypedValues<LogEntry>(values);
  const [first] = await typedValues.list(prefix, { limit: 1 });
  if (first === undefined) return;
  const { log, writer } = first.value;
  if (writer === replica.id ? isWriting(log) : await replica.isRunning(writer)) return;
  const unanswered = new Set<Id>(first.value.requests);
  let next = 0;
  for await (const { entry, value } of readEntries(typedValues, prefix, 0)) {
    if (value.isEnd) return;
    next = entry + 1;
    for (const event of value.events) {
      const message: unknown = JSON.parse(event);
      const kind = classifyMessage(message);
      if (kind === 'success' || kind === 'failure') unanswered.delete((message as { readonly id: Id }).id);
    }
  }
  const events = [...unanswered].map(id => JSON.stringify(createFailure(id, SERVER_STOPPED_ERROR)));
  const entry: LogEntry = { log, tag: createEntryTag(), writer: replica.id, events, isEnd: true };
  await typedValues.put(toLogKey(prefix, next), entry, { version: 0, ttl });
}
