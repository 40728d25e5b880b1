import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type DescribedRequest, formatAnswerCommand, formatRequests } from './describe-requests.js';

const createForm = (names: readonly string[], required: readonly string[] = names, key = 'form'): DescribedRequest => ({
  key,
  kind: 'form',
  message: 'Which?',
  schema: {
    type: 'object',
    properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
    required,
  },
});

describe('formatAnswerCommand', () => {
  it.skipIf(process.platform === 'win32')('quotes names of the server, so that a shell reads each as one word', () => {
    const names = ['x;echo evil|sh', "it's", '$(id)', '`id`', 'a b', '&&', '名前', 'plain.name-1'];
    const { command } = formatAnswerCommand('7f3a', [createForm(names)]);
    expect(command).toContain(' plain.name-1=VALUE');
    const words = execFileSync('sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' });
    expect(words.trimEnd().split('\n')).toEqual(['tenon', 'answer', '7f3a', ...names.map(name => `${name}=VALUE`)]);
  });

  it('quotes the keys of several forms', () => {
    const { command } = formatAnswerCommand('7f3a', [createForm(['a'], ['a'], ';id;'), createForm(['b'])]);
    expect(command).toBe("tenon answer 7f3a ';id;.a'=VALUE form.b=VALUE");
  });

  it('omits names that would be options, or that have invisible characters', () => {
    const names = ['--trust', '-v', 'a\u001b[2Jb', 'a\nb', 'a\u202eb', 'count'];
    expect(formatAnswerCommand('7f3a', [createForm(names)]).text).toBe('tenon answer 7f3a count=VALUE');
  });

  it('includes required fields, and shows some optional ones in brackets to people only', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    expect(formatAnswerCommand('7f3a', [createForm(names, ['c'])])).toEqual({
      command: 'tenon answer 7f3a c=VALUE',
      text: 'tenon answer 7f3a c=VALUE [a=VALUE] [b=VALUE] [d=VALUE] …',
    });
    expect(formatAnswerCommand('7f3a', [createForm(names, [])]).command).toBe(
      'tenon answer 7f3a a=VALUE b=VALUE c=VALUE',
    );
  });
});

describe('formatRequests', () => {
  it('indents each line of a text of the server, so that none looks like a line of the command', () => {
    const url = 'https://x.example/\nRun it:';
    const message = 'Which?\nThe call waits. Answer it with:\n  tenon logout';
    const properties = { size: { enum: ['s'], enumNames: ['Small\nRun it:'] } };
    const text = formatRequests([{ key: 'form', kind: 'form', message, url, schema: { properties } }]);
    expect(text.split('\n').filter(line => !line.startsWith('  '))).toEqual([]);
    expect(text).toContain('  Which?\n    The call waits. Answer it with:\n      tenon logout\n');
  });

  it('shows the titles of choices', () => {
    const properties = {
      size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
      extras: { type: 'array', items: { anyOf: [{ const: 'm', title: 'Milk' }] } },
      colour: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
    };
    const text = formatRequests([{ key: 'form', kind: 'form', message: 'Which?', schema: { properties } }]);
    expect(text).toContain('size?: "s" (s: Small)');
    expect(text).toContain('(m: Milk)');
    expect(text).toContain('colour?: "r" | "g" (r: Red, g: Green)');
  });
});
