import { describe, expect, it } from 'vitest';
import { createFolderMatcher } from './folder-matcher.js';

const mayHold = (folder: string, path: string) => createFolderMatcher(folder)?.mayContain(path);
const holds = (folder: string, path: string) => createFolderMatcher(folder)?.contains(path);

/** Paths to `/etc/passwd` by links that Linux, macOS and Windows provide. */
const ESCAPES = [
  '/proc/self/root/etc/passwd',
  '/proc/thread-self/root/etc/passwd',
  '/proc/1/root/etc/passwd',
  '/proc/self/task/12/root/etc/passwd',
  '/proc//self/./root//etc/passwd',
  '/proc/self/root/proc/1/root/etc/passwd',
  '/proc/self/root/../../etc/passwd',
  '/proc/self/cwd/etc/passwd',
  '/proc/self/cwd/../../../etc/passwd',
  '/proc/7/cwd/passwd',
  '/proc/self/fd/3/passwd',
  '/proc/self/fd/3',
  '/proc/7/map_files/400000-452000',
  '/dev/fd/3',
  '/dev/fd/3/../etc/passwd',
  '/dev/stdin',
  '/host/proc/1/root/etc/passwd',
  '/work/../proc/self/root/etc/passwd',
  '../../proc/self/root/etc/passwd',
  'proc/self/root/etc/passwd',
  'file:///proc/self/root/etc/passwd',
  'file://localhost/proc/self/root/etc/passwd',
  '/proc/self/%72oot/etc/passwd',
  '/proc/self%2froot/etc/passwd',
  '\\proc\\self\\root\\etc\\passwd',
  '/.vol/16777220/123456',
  '//?/GLOBALROOT/Device/HarddiskVolume1/etc/passwd',
  '\\\\?\\Volume{0b5c0000}\\etc\\passwd',
];

describe('a system link in a path', () => {
  it.each(ESCAPES)('leads into a denied folder: %s', path => expect(mayHold('/etc', path)).toBe(true));

  it.each(ESCAPES)('leads out of every allowed folder: %s', path => {
    for (const folder of ['/', '/proc', '/dev', '/work', '/host']) expect(holds(folder, path)).toBe(false);
  });

  it.each([
    ['/private/etc', '/etc/passwd'],
    ['/etc', '/private/etc/passwd'],
    ['/etc', '/proc/self/root/private/etc/passwd'],
    ['/Users/ann', '/System/Volumes/Data/Users/ann/a'],
    ['C:\\Users', '\\\\localhost\\c$\\Users\\ann'],
    ['C:\\Users', '\\\\?\\UNC\\127.0.0.1\\C$\\Users\\ann'],
  ])('%s is denied by its other name: %s', (folder, path) => expect(mayHold(folder, path)).toBe(true));

  it.each([
    ['/etc', '/proc/self/root/var/a'],
    ['/etc', '/proc/cpuinfo'],
    ['/etc', '/proc/self/status'],
    ['/etc', '/work/root/etcetera'],
    ['/etc', '/work/dev/fd'],
    ['/etc', '/dev/null'],
    ['/work', '/private/etc/a'],
    ['D:\\Users', '\\\\localhost\\c$\\Users\\ann'],
    ['https://h/etc', '/proc/self/root/etc'],
  ])('leaves %s allowed when it leads elsewhere: %s', (folder, path) => expect(mayHold(folder, path)).toBe(false));

  it.each(['/proc/cpuinfo', '/proc/self/status', '/dev/null', '/work/root/a', '/work/proc/a', '/private/etc/a'])(
    'does not include %s',
    path => expect(holds('/', path)).toBe(true),
  );

  it.each(['/proc/self/root', '/proc/1/cwd/work', '/dev/fd/3', 'file:///proc/self/root/work'])(
    'is refused as the folder of a rule: %s',
    folder => expect(createFolderMatcher(folder)).toBeUndefined(),
  );
});
