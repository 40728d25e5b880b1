import { describe, expect, it } from 'vitest';
import { listSecretTexts, redactCommand, redactValues } from './command-redaction.js';

describe('redactCommand', () => {
  it.each([
    [['--token=hunter22'], '--token=…'],
    [['--api-key', 'hunter22', 'x'], '--api-key … x'],
    [['--apiKey', 'hunter22'], '--apiKey …'],
    [['API_KEY=hunter22'], 'API_KEY=…'],
    [['--header', 'Authorization: Bearer hunter22'], '--header "Authorization: …"'],
    [['-H', 'X-Api-Key: hunter22'], '-H "X-Api-Key: …"'],
    [['https://me:hunter22@host/mcp?token=hunter22&q=1'], 'https://…@host/mcp?token=…&q=1'],
    [['--url=https://me:hunter22@host/'], '--url=https://…@host/'],
    [['sk-abcdefghijklmnop'], '…'],
    [['--x=ghp_abcdefghijklmnop1234'], '--x=…'],
  ])('hides what looks secret: %j', (args, shown) => {
    expect(redactCommand('run', args)).toBe(`run ${shown}`);
  });

  it.each([[['notes.js', '--port=3000', '--token-count', '--verbose', '/home/me/keys.js']], [['-y', '@scope/server']]])(
    'shows the rest: %j',
    args => {
      expect(redactCommand('node', args)).toBe(`node ${args.join(' ')}`);
    },
  );

  it('shows a program of several lines in one line', () => {
    expect(redactCommand('node', ['-e', 'let a;\n  run(a);\n'])).toBe('node -e "let a; run(a); "');
  });

  it('limits the length', () => expect(redactCommand('node', ['x'.repeat(9999)]).length).toBe(201));
});

it('removes given values from a text, except short ones', () => {
  expect(redactValues('key hunter22 is bad', ['hunter22', 'is', ''])).toBe('key … is bad');
});

it('finds the password of a URL as a secret of its own, also decoded', () => {
  expect(listSecretTexts('http://ada:p%40ss@proxy.example:3128')).toEqual([
    'http://ada:p%40ss@proxy.example:3128',
    'p%40ss',
    'p@ss',
  ]);
  expect(listSecretTexts('ada:hunter22@proxy.example')).toContain('hunter22');
  expect(listSecretTexts('https://proxy.example/a:b@c')).toEqual(['https://proxy.example/a:b@c']);
  expect(redactValues('proxy login ada:hunter22 failed', listSecretTexts('http://ada:hunter22@proxy'))).toBe(
    'proxy login ada:… failed',
  );
});
