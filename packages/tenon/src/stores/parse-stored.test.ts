import { expect, it } from 'vitest';
import { parseStoredValue } from './parse-stored.js';

it('names the kind of the key for a malformed value, and neither the key nor the text', () => {
  for (const text of ['secret-token', '{"a":', '"hush"', '[1]', 'null', '12', '', undefined]) {
    const error = (() => {
      try {
        return parseStoredValue('session/ada@example.com', text);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: 'store/malformed', message: expect.stringContaining('kind "session"') });
    expect(String(error)).not.toMatch(/ada|secret-token|hush|SyntaxError/);
  }
  expect(() => parseStoredValue('Ada', 'x')).toThrow('kind "unknown"');
  expect(parseStoredValue('a/b', '{"c":1}')).toEqual({ c: 1 });
});
