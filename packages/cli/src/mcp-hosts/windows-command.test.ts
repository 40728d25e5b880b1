import { expect, it } from 'vitest';
import { unwrapWindowsCommand, wrapWindowsCommand } from './windows-command.js';

it('starts batch files by cmd on Windows, and no other programs [cli.platforms] [cli.add]', () => {
  const npx = { command: 'npx', args: ['-y', 'notes@1.0.0'], env: { A: '1' } };
  expect(wrapWindowsCommand(npx, 'win32')).toEqual({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'notes@1.0.0'],
    env: { A: '1' },
  });
  expect(wrapWindowsCommand({ command: 'NPX.cmd' }, 'win32')).toMatchObject({ args: ['/c', 'NPX.cmd'] });
  for (const target of [{ command: 'node', args: ['x'] }, { command: 'C:\\npx\\run.exe' }])
    expect(wrapWindowsCommand(target, 'win32')).toBe(target);
  for (const platform of ['linux', undefined]) expect(wrapWindowsCommand(npx, platform)).toBe(npx);
  expect(unwrapWindowsCommand(wrapWindowsCommand(npx, 'win32'))).toEqual(npx);
  const script = { command: 'cmd', args: ['/c', 'run.bat'] };
  expect(unwrapWindowsCommand(script)).toBe(script);
});

it.each(['https://example.com/?a=1&calc', 'a|b', '%PATH%', 'a^b', 'x\ncalc', '>out', '!A!'])(
  'refuses an argument that cmd would change or run: %j',
  argument => {
    const target = { command: 'npx', args: ['-y', argument] };
    expect(() => wrapWindowsCommand(target, 'win32')).toThrow(/argument 2 of npx has a character/);
    expect(wrapWindowsCommand(target, 'linux')).toBe(target);
  },
);
