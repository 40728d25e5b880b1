import { expect, it } from 'vitest';
import { wrapWindowsCommand } from './windows-command.js';

it('lets cmd start batch files on Windows, and nothing else [cli.platforms] [cli.add]', () => {
  const npx = { command: 'npx', args: ['-y', 'notes@1.0.0'], env: { A: '1' } };
  expect(wrapWindowsCommand(npx, 'win32')).toEqual({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'notes@1.0.0'],
    env: { A: '1' },
  });
  expect(wrapWindowsCommand({ command: 'NPX.cmd' }, 'win32')).toMatchObject({ args: ['/c', 'NPX.cmd'] });
  for (const target of [
    { command: 'node', args: ['x'] },
    { command: 'C:\\npx\\run.exe' },
    { url: 'https://example.com' },
  ])
    expect(wrapWindowsCommand(target, 'win32')).toBe(target);
  expect(wrapWindowsCommand(npx, 'linux')).toBe(npx);
});
