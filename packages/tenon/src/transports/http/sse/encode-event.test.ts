import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeEvent, encodeNamedEvent, encodePrimingEvent, KEEP_ALIVE } from './encode-event.js';

/** Reads frames as the standard says, but no better than that. */
function read(text: string): { event: string; data: string; id?: string; retry?: string }[] {
  const events = [];
  for (const frame of text.split(/\r\n\r\n|\n\n|\r\r/).slice(0, -1)) {
    const fields: Record<string, string> = {};
    for (const line of frame.split(/\r\n|\n|\r/)) {
      const at = line.indexOf(':');
      if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).replace(/^ /, '');
    }
    if ('data' in fields) events.push({ event: 'message', ...fields } as { event: string; data: string });
  }
  return events;
}

describe('encodeEvent', () => {
  it('writes any JSON on one data line', () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\r\n\r\n', '\u2028\n: x', '\ndata: x\n\n'),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 5 }), fc.boolean(), (values, named) => {
        const frames = values.map((each, at) => {
          const json = JSON.stringify(each);
          return named ? encodeNamedEvent('message', json) : encodeEvent(json, `1-${at}`);
        });
        const events = read(frames.join(KEEP_ALIVE) + KEEP_ALIVE);
        expect(events.map(({ data }) => JSON.parse(data))).toEqual(
          values.map(each => JSON.parse(JSON.stringify(each))),
        );
        for (const frame of frames) expect(frame.match(/^data:/gm)).toHaveLength(1);
      }),
    );
  });

  it('writes an id, no data and the retry time for a priming event [http.sse.priming-event]', () => {
    expect(read(encodePrimingEvent('3-1', 500))).toEqual([{ event: 'message', id: '3-1', retry: '500', data: '' }]);
  });
});
