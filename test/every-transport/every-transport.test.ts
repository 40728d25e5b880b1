import type { ClientOptions } from 'tenon';
import { describe, expect, it } from 'vitest';
import { open, rows } from './rows.js';

/** A client that notes what it is asked, and answers yes. */
function noting(requests: string[]): ClientOptions {
  return {
    elicit({ message }) {
      requests.push(message);
      return { action: 'accept', content: { sure: true } };
    },
    sample({ messages }) {
      const [text = ''] = messages
        .flatMap(({ content }) => [content].flat())
        .map(block => ('text' in block ? block.text : ''));
      requests.push(text);
      return {
        role: 'assistant',
        content: { type: 'text', text: /^(Begin|End)/.test(text) ? 'yes' : 'Hm.' },
        model: 'm',
      };
    },
    roots() {
      requests.push('roots');
      return [{ uri: 'file:///home', name: 'Home' }];
    },
  };
}

const textOf = (result: unknown) => (result as { content: { text: string }[] }).content[0]?.text;

describe('one handler with input requests, sampling and steps', () => {
  it.each(rows.map(row => [`over ${row.transport} ${row.version} ${row.mode}`, row] as const))(
    'returns the same result %s',
    async (_, row) => {
      const requests: string[] = [];
      const { client, wire, close } = await open(row, noting(requests));
      const input = { what: 'it' };
      const called =
        row.mode === 'as a task' ? (await client.tasks.start('work', input)).result() : client.tools.work(input);
      expect(textOf(await called)).toBe('prepare it 1, yes, yes to Home 2, Hm., yes, clean up: yes 3');
      const { log, entries } = await client.tools.log();
      expect(log).toEqual(['prepare it', 'yes to Home', 'clean up: yes']);
      expect(requests.splice(0, 2).sort()).toEqual(['Begin with prepare it 1?', 'roots']);
      expect(requests).toEqual(['What of yes to Home 2?', 'End with Hm.?']);
      // It went the way that it was to go.
      expect(entries).toBe(row.mode.startsWith('replayed') ? 4 : 1);
      const words = wire.crossings.map(({ value }) => JSON.stringify(value)).join('\n');
      expect(/"taskId"/.test(words)).toBe(row.mode === 'as a task');
      expect(wire.sent('client', 'tools/call').length).toBe(/^(held|replayed)/.test(row.mode) ? 5 : 2);
      expect(wire.issues).toEqual([]);
      await close();
    },
  );
});
