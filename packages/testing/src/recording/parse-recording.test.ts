import { TenonError } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../test/support/extent.js';
import { parseLines, recordSession } from './fixtures/record-session.js';
import { isRecordingLine, parseRecording, selectServer } from './parse-recording.js';
import { createReplayServer } from './replay/replay-server.js';

const line = (message: object, meta: object) => `${JSON.stringify({ jsonrpc: '2.0', ...message, _meta: meta })}\n`;
const send = line({ id: 1, method: 'ping' }, { dir: 'send', server: 'a', ts: 'now' });

describe('parseRecording', () => {
  it('reads recordings of mcporter, which have no session numbers [cli.record]', () => {
    const start = line({ method: '$transport/start' }, { dir: 'lifecycle', server: 'linear', ts: 't' });
    const call = line({ id: 1, method: 'tools/list' }, { dir: 'send', server: 'linear', ts: 't' });
    const { messages, servers } = parseRecording(start + call + start + call);
    expect(servers).toEqual(['linear']);
    expect(messages.map(({ session, dir, line: number }) => [session, dir, number])).toEqual([
      [1, 'send', 2],
      [2, 'send', 4],
    ]);
  });

  it('separates the sessions of several runs, which have the same numbers', async () => {
    const text = await recordSession(client => client.callTool('count'), { protocolVersion: '2025-06-18' });
    const { messages } = parseRecording(text + text);
    expect(new Set(messages.map(({ session }) => session))).toEqual(new Set([1, 2]));
    expect(messages.filter(({ session }) => session === 2)).toHaveLength(messages.length / 2);
  });

  it('drops an incomplete last line', () => {
    const { messages, isTruncated } = parseRecording(`${send}{"jsonrpc":"2.0","id":`);
    expect(messages).toHaveLength(1);
    expect(isTruncated).toBe(true);
  });

  it.each([
    ['', 'recording/empty', 'no messages'],
    [`${send}nonsense\n${send}`, 'recording/invalid', 'line 2'],
    [`${send}{"jsonrpc":"2.0","id":1,"method":"ping"}\n`, 'recording/invalid', '_meta.dir'],
    [line({ id: {}, method: 'ping' }, { dir: 'send' }), 'recording/invalid', '"id" must be'],
    [line({ id: 1, result: 5 }, { dir: 'recv' }), 'recording/invalid', 'line 1'],
    [
      `{"jsonrpc":"2.0","id":1,"result":${'{"a":'.repeat(300)}1${'}'.repeat(300)},"_meta":{"dir":"recv"}}`,
      'recording/invalid',
      'deeper',
    ],
  ])('rejects %j with %s', (text, code, message) => {
    expect(() => parseRecording(text)).toThrow(
      expect.objectContaining({ code, message: expect.stringContaining(message) }),
    );
  });

  it('selects one of several servers', () => {
    const recording = parseRecording(send + send.replace('"a"', '"b"'));
    expect(selectServer(recording, 'b').messages).toHaveLength(1);
    expect(() => selectServer(recording)).toThrow('one of a, b');
    expect(() => selectServer(recording, 'c')).toThrow('got c');
  });

  it('recognizes its lines', () => {
    expect(isRecordingLine(send)).toBe(true);
    expect(isRecordingLine('{"tools":[]}')).toBe(false);
    expect(isRecordingLine('[')).toBe(false);
  });

  it('throws only its own error for any damaged file', async () => {
    const fullText = await recordSession(client => client.callTool('count'));
    const lines = fullText.trim().split('\n');
    const edit = fc.record({
      at: fc.nat(lines.length - 1),
      truncated: fc.nat(400),
      text: fc.oneof(fc.string(), fc.json(), fc.constantFrom('"dir":"send"', '"id":null', '"method":1', '\u0000')),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), edits => {
        const broken = [...lines];
        for (const { at, truncated, text } of edits) {
          const each = broken[at] ?? '';
          broken[at] = each.slice(0, truncated) + text + each.slice(truncated + text.length);
        }
        try {
          createReplayServer(broken.join('\n'));
        } catch (error) {
          expect(error).toBeInstanceOf(TenonError);
          expect((error as TenonError).code).toMatch(/^recording\//);
        }
      }),
      { numRuns: takeRuns(600) },
    );
    expect(parseLines(fullText).length).toBeGreaterThan(3);
  });
});
