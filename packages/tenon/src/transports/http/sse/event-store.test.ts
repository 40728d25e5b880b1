import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatEventId } from './event-buffer.js';
import { createMemoryEventStore } from './event-store.js';

const roomy = { maxReplayEvents: 1000, maxReplayBytes: 1e6, maxTotalReplayBytes: 1e6 };

describe('the event log', () => {
  it('creates ids that no two events share, over all sessions [http.resume.event-id-unique]', () => {
    const log = createMemoryEventStore(roomy);
    const ids = [1, 2, 3].flatMap(n =>
      ['a', 'b'].flatMap(session => [log.append(session, n, 'x'), log.createEventId(n)]),
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]+$/);
  });

  it('replays exactly what followed on that stream of that session', () => {
    const step = fc.record({ session: fc.constantFrom('a', 'b'), stream: fc.nat(2), text: fc.string() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), steps => {
        const log = createMemoryEventStore(roomy);
        const stored = steps.map(({ session, stream, text }) => ({
          session,
          stream,
          text,
          id: log.append(session, stream, text),
        }));
        for (const [index, { session, stream, id }] of stored.entries()) {
          const later = stored.slice(index + 1).filter(other => other.session === session && other.stream === stream);
          expect(log.replayAfter(session, id)).toEqual({
            stream,
            events: later.map(({ id, text }) => expect.objectContaining({ id, text })),
          });
        }
      }),
    );
  });

  it('drops the oldest events of a session with too many or too large ones', () => {
    const log = createMemoryEventStore({ maxReplayEvents: 3, maxReplayBytes: 10, maxTotalReplayBytes: 1e6 });
    for (const text of ['1', '2', '3', '4']) log.append('a', 0, text);
    expect(log.replayAfter('a', formatEventId(0, 0))?.events.map(({ text }) => text)).toEqual(['2', '3', '4']);
    log.append('a', 0, '123456789');
    expect(log.replayAfter('a', formatEventId(0, 0))?.events.map(({ text }) => text)).toEqual(['4', '123456789']);
    log.append('a', 0, 'longer than the bound');
    expect(log.replayAfter('a', formatEventId(0, 0))?.events).toEqual([]);
  });

  it('drops events of the quietest session when all are too large', () => {
    const log = createMemoryEventStore({ ...roomy, maxTotalReplayBytes: 10 });
    log.append('quiet', 0, '1234');
    log.append('busy', 0, '5678');
    log.append('busy', 0, '90ab');
    expect(log.replayAfter('quiet', formatEventId(0, 0))?.events).toEqual([]);
    expect(log.replayAfter('busy', formatEventId(0, 0))?.events).toHaveLength(2);
    log.deleteSession('busy');
    for (const text of ['12345', '67890']) log.append('quiet', 0, text);
    expect(log.replayAfter('quiet', formatEventId(0, 0))?.events).toHaveLength(2);
  });

  it('rejects an unknown or malformed event id', () => {
    const log = createMemoryEventStore(roomy);
    const id = log.append('a', 3, 'x');
    expect(log.replayAfter('a', id)).toEqual({ stream: 3, events: [] });
    for (const wrong of ['', '3', '3-', '-', '3-zz', 'x-1', `${id} `, '3-1-1', `3-${'1'.repeat(40)}`, '9'.repeat(40)]) {
      expect(log.replayAfter('a', wrong)).toBeUndefined();
    }
  });
});
