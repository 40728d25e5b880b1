import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../../../../../test/support/cpu-time.js';
import { takeRuns } from '../../../../../../test/support/extent.js';
import { createSseReader, type SseEvent } from './sse-reader.js';

const bytes = (text: string) => new TextEncoder().encode(text);

interface Read {
  events: SseEvent[];
  tooLong: number;
  lastEventId: string | undefined;
  retry: number | undefined;
}

function readAll(chunks: Iterable<Uint8Array>, limit = 1_000, resumedAfter?: string): Read {
  const read: Read = { events: [], tooLong: 0, lastEventId: undefined, retry: undefined };
  const listener = {
    onEvent: (event: SseEvent) => void read.events.push(event),
    onEventTooLong: () => {
      read.tooLong += 1;
    },
  };
  const reader = createSseReader(listener, limit, resumedAfter);
  for (const chunk of chunks) reader.feed(chunk);
  return Object.assign(read, { lastEventId: reader.lastEventId, retry: reader.retry });
}

/** The same by the letter of the standard, with all of the text at hand. */
function readAtOnce(text: string): Read {
  const read: Read = { events: [], tooLong: 0, lastEventId: undefined, retry: undefined };
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  lines.pop();
  let id: string | undefined;
  let type = '';
  let data: string[] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (line === '') {
      if (id !== undefined) read.lastEventId = id || undefined;
      if (data.length > 0) read.events.push({ type: type || 'message', data: data.join('\n') });
      [id, type, data] = [undefined, '', []];
    } else if (line.startsWith(':')) {
      // A comment.
    } else if (name === 'data') data.push(value);
    else if (name === 'event') type = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
    else if (name === 'retry' && /^\d+$/.test(value)) read.retry = Math.min(Number(value), 86_400_000);
  }
  return read;
}

/** Cuts bytes at the given places. */
function disconnect(all: Uint8Array, places: number[]): Uint8Array[] {
  const at = [0, ...places.map(place => place % (all.length + 1)).sort((a, b) => a - b), all.length];
  return at.slice(1).map((end, n) => all.subarray(at[n], end));
}

const fragment = fc.constantFrom(
  ...[
    'data',
    'data:',
    'data: ',
    'id:',
    'id: 7',
    'id: é\0',
    'event: ping',
    'event:',
    'retry: 250',
    'retry: 1e3',
    ': hi',
  ],
  ...['\n', '\r', '\r\n', '\n\n', '\r\r', '\r\n\r\n', '\ufeff', ':', ' ', 'x', 'é', '👋', 'datax: 1', '{"a":1}'],
);
const streams = fc.array(fragment, { maxLength: 40 }).map(parts => parts.join(''));

describe('readSse', () => {
  it('reads the events of the standard, however the bytes are split', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(400), { maxLength: 12 }), (text, places) => {
        expect(readAll(disconnect(bytes(text), places))).toEqual(readAtOnce(text));
      }),
      { numRuns: takeRuns(2_000) },
    );
  });

  it('decodes any bytes as if they arrived at once', () => {
    const any = fc.uint8Array({ min: 0x7e, maxLength: 40 });
    fc.assert(
      fc.property(any, fc.array(fc.nat(60), { maxLength: 6 }), (middle, places) => {
        const all = Uint8Array.of(...bytes('data: '), ...middle, ...bytes('\n\n'));
        const events = [{ type: 'message', data: new TextDecoder().decode(all).slice(6, -2) }];
        expect(readAll(disconnect(all, places)).events).toEqual(events);
      }),
      { numRuns: takeRuns(2_000) },
    );
  });

  it('reads byte by byte', () => {
    const text = '\ufeffid: 1\r\ndata: {"é":"👋"}\r\n\r\nevent: x\rdata: a\rdata:b\r\rretry: 9\n\n';
    const read = readAll(Array.from(bytes(text), byte => Uint8Array.of(byte)));
    expect(read).toEqual({ ...readAtOnce(text), lastEventId: '1', retry: 9 });
    expect(read.events).toEqual([
      { type: 'message', data: '{"é":"👋"}' },
      { type: 'x', data: 'a\nb' },
    ]);
  });

  it('does not wait for a byte after CR', () => {
    expect(readAll([bytes('data: a\r\r')]).events).toEqual([{ type: 'message', data: 'a' }]);
  });

  it('keeps the id of an event without data, and not that of an incomplete event [http.sse.priming-event]', () => {
    expect(readAll([bytes('id: a\n\nid: b\ndata: x\n')])).toMatchObject({ events: [], lastEventId: 'a' });
    expect(readAll([bytes('data: x\n\n')], 99, 'before').lastEventId).toBe('before');
    expect(readAll([bytes('id\ndata: x\n\n')], 99, 'before').lastEventId).toBeUndefined();
  });

  it('skips an event that is too long, with its id, and continues', () => {
    const long = [
      `data: ${'x'.repeat(200)}\n\n`,
      `id: 2\n${'data: 0123456789\n'.repeat(20)}\n`,
      `${'y'.repeat(500)}\n\n`,
    ];
    for (const text of long) {
      fc.assert(
        fc.property(fc.array(fc.nat(1_000), { maxLength: 20 }), places => {
          const read = readAll(disconnect(bytes(`${text}data: ok\n\n`), places), 100);
          expect(read).toMatchObject({ events: [{ type: 'message', data: 'ok' }], tooLong: 1 });
        }),
        { numRuns: takeRuns(100) },
      );
    }
    expect(readAll([bytes(long[1] as string)], 100).lastEventId).toBe('2');
  });

  it('accepts an event of exactly the limit', () => {
    const line = `data:${'x'.repeat(95)}`;
    expect(readAll([bytes(`${line}\n\n`)], 100)).toMatchObject({ events: [{ data: 'x'.repeat(95) }], tooLong: 0 });
    expect(readAll([bytes(`${line}x\n\n`)], 100)).toMatchObject({ events: [], tooLong: 1 });
  });

  it('takes linear time for a line in small pieces, and stores none that never ends', async () => {
    const piece = bytes('x'.repeat(16));
    const reader = createSseReader({ onEvent: () => {}, onEventTooLong: () => {} }, 4_000_000);
    const feedAll = () => {
      reader.feed(bytes('data:'));
      for (let n = 0; n < 400_000; n += 1) reader.feed(piece);
    };
    expect(await measureCpuTime(feedAll)).toBeLessThan(5_000);
  });
});
