import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../../test/support/extent.js';
import { resolveCommand } from './resolve-command.js';

const FILES = [
  'C:\\Program Files\\nodejs\\node.exe',
  'C:\\Program Files\\nodejs\\npx',
  'C:\\Program Files\\nodejs\\npx.cmd',
  'D:\\work\\run.bat',
  'D:\\work\\evil.exe',
];
const windows = {
  platform: 'win32',
  cwd: 'D:\\work',
  env: {
    Path: '"C:\\Program Files\\nodejs";relative;.',
    PathExt: '.EXE;.CMD;.BAT',
    ComSpec: 'C:\\Windows\\system32\\cmd.exe',
  },
  exists: (path: string) => FILES.some(file => file.toLowerCase() === path.toLowerCase()),
};
const posix = { ...windows, platform: 'linux' };

/** What a batch file's program receives: what cmd.exe makes of the line, `%*` read once more, then the C runtime's rules. */
function received(line: string): string[] {
  const inner = line.replace(/^"([\s\S]*)"$/, '$1').replaceAll('%cd:~,%', '');
  const again = commandsOf(commandsOf(inner));
  const args: string[] = [];
  let [current, inQuotes, any] = ['', false, false];
  for (let at = 0; at < again.length; at++) {
    const slashes = /^\\*/.exec(again.slice(at))![0].length;
    if (slashes > 0 && again[at + slashes] === '"') {
      current += '\\'.repeat(Math.floor(slashes / 2));
      if (slashes % 2) current += again[at + slashes]!;
      at += slashes - 1 + (slashes % 2);
    } else if (again[at] === '"' && inQuotes && again[at + 1] === '"') current += again[++at]!;
    else if (again[at] === '"') [inQuotes, any] = [!inQuotes, true];
    else if (again[at] === ' ' && !inQuotes) {
      if (any || current) args.push(current);
      [current, any] = ['', false];
    } else current += again[at]!;
  }
  return any || current ? [...args, current] : args;
}

/** Fails where cmd.exe would end one command and begin another, and takes its carets away. */
function commandsOf(line: string): string {
  let inQuotes = false;
  for (const character of line) {
    if (character === '"') inQuotes = !inQuotes;
    if (!inQuotes && /[&|<>^]/.test(character)) throw new Error(`a bare ${character} in ${line}`);
  }
  return line;
}

describe('resolveCommand [stdio.client-spawns]', () => {
  it('leaves the search to the system on POSIX', () => {
    expect(resolveCommand('npx', ['a b'], posix)).toEqual({ file: 'npx', args: ['a b'], verbatim: false });
  });

  it('searches PATH by PATHEXT, with any case and quotes', () => {
    expect(resolveCommand('node', ['x y'], windows)).toEqual({
      file: FILES[0]!.replace('.exe', '.EXE'),
      args: ['x y'],
      verbatim: false,
    });
    expect(resolveCommand('node.exe', [], windows)?.file).toBe(FILES[0]);
  });

  it('ignores a program in the working directory', () => {
    expect(resolveCommand('evil', [], windows)).toBeUndefined();
    expect(resolveCommand('.\\evil', [], windows)?.file).toBe('D:\\work\\evil.EXE');
  });

  it('runs a batch file under cmd.exe without another shell', () => {
    expect(resolveCommand('npx', ['-y', 'server'], windows)).toEqual({
      file: 'C:\\Windows\\system32\\cmd.exe',
      args: ['/d', '/e:on', '/v:off', '/s', '/c', '""C:\\Program Files\\nodejs\\npx.CMD" "-y" "server""'],
      verbatim: true,
    });
    expect(resolveCommand('run.bat', [], { ...windows, env: {} })).toBeUndefined();
    expect(resolveCommand('./run.bat', [], { ...windows, env: {} })?.file).toBe('C:\\Windows\\System32\\cmd.exe');
  });

  it('passes each argument to a batch file unchanged, and lets none start another command', () => {
    const argument = fc.string({ unit: fc.constantFrom('"', '\\', '&', '|', '^', '%', '!', ' ', '<', '(', 'a', 'é') });
    fc.assert(
      fc.property(fc.array(argument, { minLength: 1, maxLength: 4 }), args => {
        const line = resolveCommand('npx', args, windows)!.args.at(-1)!;
        expect(received(line).slice(1)).toEqual(args.map(each => each));
        expect(line.replaceAll('%%cd:~,%', '')).not.toContain('%');
      }),
      { numRuns: takeRuns(2000) },
    );
  });

  it.each(['a\nb', 'a\r', 'a\0'])('refuses arguments that no batch file can get: %j', argument => {
    expect(() => resolveCommand('npx', [argument], windows)).toThrow(
      expect.objectContaining({ code: 'stdio/unsafe-argument' }),
    );
  });
});
