import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { parse } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { getHomeFolder, getXdgFolder } from './home-folder.js';

const { homedir } = os.userInfo();

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe('getHomeFolder', () => {
  it.each(['', 'relative', './home'])('ignores the value "%s", which is not absolute', home => {
    vi.stubEnv('HOME', home);
    vi.stubEnv('USERPROFILE', home);
    expect([getHomeFolder(), getHomeFolder(home)]).toEqual([homedir, homedir]);
  });

  it('returns an absolute value, and the root for a user without an entry', () => {
    expect(getHomeFolder(homedir)).toBe(homedir);
    vi.spyOn(os, 'userInfo').mockImplementation(() => {
      throw new Error('ENOENT');
    });
    syncBuiltinESMExports();
    expect(getHomeFolder('relative')).toBe(parse(process.cwd()).root);
    vi.spyOn(os, 'homedir').mockImplementation(() => {
      throw new Error('ENOENT');
    });
    syncBuiltinESMExports();
    expect(getHomeFolder()).toBe(parse(process.cwd()).root);
  });
});

it('ignores a relative XDG folder', () => {
  expect(['config', '', undefined, homedir].map(path => getXdgFolder(path, '/default'))).toEqual([
    ...['/default', '/default', '/default'],
    homedir,
  ]);
});
