// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to variables of the user
import { expect, it } from 'vitest';
import { reviewTarget } from './review-target.js';

function review(entry: Parameters<typeof reviewTarget>[1]): string[] {
  const notes: string[] = [];
  reviewTarget({ screen: { note: text => void notes.push(text) } }, entry);
  return notes;
}

it('quotes each argument, so that two cannot look like one', () => {
  const quoted = (...args: string[]) => review({ target: { command: 'notes', args } })[0];
  expect(quoted('a b')).toBe("It runs notes 'a b'");
  expect(quoted('a', 'b')).toBe('It runs notes a b');
  expect(quoted('a; rm -r .', '$(id)', '')).toBe("It runs notes 'a; rm -r .' '$(id)' ''");
  expect(quoted('\u202e')).not.toContain('\u202e');
});

it('names each variable and header, with the value unless it is that of the user', () => {
  const env = { NOTES_TOKEN: '${NOTES_TOKEN}', LEVEL: 'debug', HOME_OF: '${HOME}' };
  expect(review({ target: { command: 'notes', env } })).toEqual([
    'It runs notes',
    'It gets these variables: NOTES_TOKEN, LEVEL=debug, HOME_OF=${HOME}',
    'Set before it starts: NOTES_TOKEN, HOME',
  ]);
  expect(review({ target: { url: 'https://notes.example/mcp', headers: { 'x-team': '${TEAM}' } } })).toEqual([
    'It is at https://notes.example/mcp',
    'It gets these headers: x-team=${TEAM}',
    'Set before it starts: TEAM',
  ]);
});

it('names the parts that are dangerous', () => {
  const target = { command: 'docker', args: ['run', '--privileged', 'notes'], env: { LD_PRELOAD: './x.so' } };
  const notes = review({ target }).filter(text => text.startsWith('!'));
  expect(notes.some(text => text.includes('--privileged'))).toBe(true);
  expect(notes.some(text => text.includes('LD_PRELOAD'))).toBe(true);
});
