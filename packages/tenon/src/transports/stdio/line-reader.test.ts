import type { TenonError } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Id } from '../../jsonrpc/message.js';
import { NOT_UTF8 } from '../fixtures/not-utf8.js';
import { createLineReader, type LineLimits } from './line-reader.js';

function collect(limits?: LineLimits) {
  const values: unknown[] = [];
  const errors: TenonError[] = [];
  const lost: Id[] = [];
  const refused: (Id | undefined)[] = [];
  const reader = createLineReader(
    'stdio: it',
    {
      value: value => void values.push(value),
      onParseError(error, id) {
        errors.push(error);
        refused.push(id);
      },
      onResponseLost: id => void lost.push(id),
    },
    limits,
  );
  const text = (piece: string) => reader.push(Buffer.from(piece));
  return { reader, text, values, errors, lost, refused, codes: () => errors.map(error => error.code) };
}

/** Cuts bytes at the given places, each a fraction of the whole. */
function disconnect(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const at = [...new Set(places.map(place => Math.floor(place * bytes.length)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

describe('LineReader [stdio.newline-delimited] [stdio.single-message-line]', () => {
  it('reads the same messages in any chunking, with either line ending', () => {
    const message = fc.record({ jsonrpc: fc.constant('2.0'), id: fc.integer(), params: fc.jsonValue() });
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 40 });
    const limit = fc.constantFrom(undefined, 300);
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 20 }),
        places,
        fc.constantFrom('\n', '\r\n', '\n\n'),
        limit,
        (sent, at, end, max) => {
          const size = (each: unknown) => Buffer.byteLength(JSON.stringify(each) + end.replace(/\n+$/, ''));
          const fitting = sent.filter(each => size(each) <= (max ?? 1e6));
          const bytes = Buffer.from(sent.map(each => JSON.stringify(each) + end).join(''));
          const { reader, values, codes } = collect({ maxLineBytes: max });
          for (const piece of disconnect(bytes, at)) reader.push(piece);
          reader.end();
          expect(values).toEqual(JSON.parse(JSON.stringify(fitting)));
          expect(codes()).toEqual(Array(sent.length - fitting.length).fill('stdio/line-too-long'));
        },
      ),
    );
  });

  it('reads U+FFFD for invalid UTF-8, in any chunking [base.utf8-encoding]', () => {
    for (const [broken, expected] of NOT_UTF8) {
      const line = Buffer.concat([Buffer.from('{"text":"'), Uint8Array.from(broken), Buffer.from('"}\n')]);
      for (let at = 0; at < line.length; at++) {
        const { reader, values } = collect();
        reader.push(line.subarray(0, at));
        reader.push(line.subarray(at));
        expect(values).toEqual([{ text: expected }]);
      }
    }
  });

  it('ignores a byte order mark before a message, in any chunking', () => {
    const lines = Buffer.from('\ufeff{"id":1}\n\ufeff{"id":2}\n\ufeff\ufeff{"id":3}\n\ufeff\n{"text":"\ufeff"}\n');
    for (let at = 0; at < lines.length; at++) {
      const { reader, values, codes } = collect();
      reader.push(lines.subarray(0, at));
      reader.push(lines.subarray(at));
      expect(values).toEqual([{ id: 1 }, { id: 2 }, { text: '\ufeff' }]);
      expect(codes()).toEqual(['stdio/not-json']);
    }
  });

  it('never throws, and finds the next message after any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 50 })), chunks => {
        const { reader, text, values } = collect({ maxLineBytes: 40, maxJsonDepth: 3 });
        for (const chunk of chunks) reader.push(chunk);
        text('\n{"here":1}\n');
        expect(values.at(-1)).toEqual({ here: 1 });
      }),
    );
  });

  it('joins a character that is split between chunks', () => {
    const { reader, values } = collect();
    const bytes = Buffer.from('{"a":"😀é"}\n');
    for (const byte of bytes) reader.push(Uint8Array.of(byte));
    expect(values).toEqual([{ a: '😀é' }]);
  });

  it('copies chunks that their owner reuses', () => {
    const { reader, values } = collect();
    const lent = Buffer.from('{"a":');
    reader.push(lent);
    lent.fill(0);
    reader.push(Buffer.from('1}\n'));
    expect(values).toEqual([{ a: 1 }]);
  });

  it('reads a batch as one value, an escaped lone surrogate as itself, and skips blank lines [stdio.batch-line]', () => {
    const { text, values, errors } = collect();
    text('\n\r\n   \n[{"id":1},{"id":2}]\n{"s":"\\ud800"}\n');
    expect(values).toEqual([[{ id: 1 }, { id: 2 }], { s: '\ud800' }]);
    expect(errors).toEqual([]);
  });

  it('reads a complete last line without a line ending', () => {
    const complete = collect();
    complete.text('{"a":1}');
    complete.reader.end();
    expect(complete.values).toEqual([{ a: 1 }]);
    const half = collect();
    half.text('{"a":');
    half.reader.end();
    expect(half.codes()).toEqual(['stdio/not-json']);
  });
});

describe('an unreadable line', () => {
  it('is reported with its escaped, shortened beginning', () => {
    const { text, values, errors } = collect();
    text(`\u001b[31mServer ${'x'.repeat(500)}\u202e\n{"id":1}\n`);
    expect(values).toEqual([{ id: 1 }]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: 'stdio/not-json', peer: 'stdio: it', rpcCode: -32700 });
    expect(errors[0]?.received).toMatch(/^“\\u\{1B\}\[31mServer x+…” \(51\d characters\)$/);
    expect(errors[0]?.message.length).toBeLessThan(400);
  });

  it('is reported once and dropped while it arrives when it never ends', () => {
    const { reader, text, values, codes } = collect();
    const before = process.memoryUsage().rss;
    const piece = Buffer.alloc(64 * 1024, 'x');
    for (let sent = 0; sent < 100 * 1024 * 1024; sent += piece.length) reader.push(piece);
    expect(codes()).toEqual(['stdio/line-too-long']);
    text('\n{"id":1}\n');
    expect(values).toEqual([{ id: 1 }]);
    expect(codes()).toEqual(['stdio/line-too-long']);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024);
  });

  it('counts in bytes, exactly', () => {
    const line = '{"a":"é"}';
    const fits = collect({ maxLineBytes: 10 });
    fits.text(`${line}\n${line}\n${line}\n`);
    expect(fits.values).toHaveLength(3);
    const exceeds = collect({ maxLineBytes: 9 });
    exceeds.text(`${line}\n1\n`);
    expect(exceeds.values).toEqual([1]);
    expect(exceeds.codes()).toEqual(['stdio/line-too-long']);
  });

  it('is reported without being parsed when it nests too deep', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    const { text, values, errors } = collect();
    text(`${nested(10_000)}\n${nested(129)}\n${nested(128)}\n`);
    expect(values).toHaveLength(1);
    expect(errors.map(({ code, rpcCode }) => [code, rpcCode])).toEqual(Array(2).fill(['stdio/too-deep', -32600]));
  });

  it.each([
    ['the id before the result', (id: string, body: string) => `{"jsonrpc":"2.0","id":${id},"result":${body}}`],
    ['the id after the result', (id: string, body: string) => `{"result":${body},"jsonrpc":"2.0","id":${id}}`],
    ['the version last', (id: string, body: string) => `{"result":${body},"id":${id},"jsonrpc":"2.0"}`],
  ])('names the request of its response, with %s', (_, line) => {
    const { text, lost } = collect({ maxLineBytes: 2000 });
    for (const id of ['7', '"a\\"b"']) text(`${line(id, `{"id":99,"x":"${'y'.repeat(4000)}"}`)}\n`);
    text(`${line('8', '['.repeat(200) + ']'.repeat(200))}\n`);
    expect(lost).toEqual([7, 'a"b', 8]);
  });

  it.each([
    [
      'the id before the method',
      (id: string, params: string) => `{"jsonrpc":"2.0","id":${id},"method":"m","params":${params}}`,
    ],
    ['the id last', (id: string, params: string) => `{"method":"m","params":${params},"jsonrpc":"2.0","id":${id}}`],
    [
      'the version last',
      (id: string, params: string) => `{"method":"m","params":${params},"id":${id},"jsonrpc":"2.0"}`,
    ],
  ])('is refused once, with the id of its request, with %s', (_, line) => {
    const { text, lost, refused } = collect({ maxLineBytes: 2000 });
    for (const id of ['7', '"method"']) text(`${line(id, `{"id":99,"x":"${'y'.repeat(4000)}"}`)}\n`);
    text(`${line('8', '['.repeat(200) + ']'.repeat(200))}\n`);
    expect([refused, lost]).toEqual([[7, 'method', 8], []]);
  });

  it('names no request when it has no id of its own', () => {
    const { text, lost, refused } = collect({ maxLineBytes: 2000 });
    const long = 'y'.repeat(4000);
    text(`{"method":"m","params":{"x":"${long}","id":3}}\n`);
    text(`{"jsonrpc":"2.0","result":{"x":"${long}","id":3}}\n`);
    text(`[{"method":"m","params":{"x":"${long}"},"id":3}]\n`);
    expect([refused, lost]).toEqual([[undefined, undefined, undefined], []]);
  });

  it('is refused at the end of the input when it has no other end', () => {
    const { reader, text, codes, refused } = collect({ maxLineBytes: 2000 });
    text(`{"method":"m","params":{"x":"${'y'.repeat(4000)}`);
    expect(codes()).toEqual([]);
    reader.end();
    expect([codes(), refused]).toEqual([['stdio/line-too-long'], [undefined]]);
  });
});
