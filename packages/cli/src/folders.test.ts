import { syncBuiltinESMExports } from 'node:module';
import os, { homedir } from 'node:os';
import { resolve } from 'node:path';
import { expect, it, vi } from 'vitest';
import { getFolders } from './folders.js';
import { getUserPlaces } from './mcp-hosts/hosts/host-paths.js';

it('separates the key from the text that is hashed with it, on every platform', () => {
  const all = [
    getFolders({ TENON_HOME: '/t' }, 'linux', '/home/a'),
    getFolders({}, 'linux', '/home/a'),
    getFolders({ XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, 'linux', '/home/a'),
    getFolders({}, 'darwin', '/Users/a'),
    getFolders({ APPDATA: '/r', LOCALAPPDATA: '/l' }, 'win32', '/u'),
  ];
  expect(all).toEqual([
    { settings: '/t', state: '/t/state', cache: '/t/cache' },
    { settings: '/home/a/.config/tenon', state: '/home/a/.local/state/tenon', cache: '/home/a/.cache/tenon' },
    { settings: '/c/tenon', state: '/s/tenon', cache: '/home/a/.cache/tenon' },
    {
      settings: '/Users/a/Library/Application Support/tenon',
      state: '/Users/a/Library/Application Support/tenon/state',
      cache: '/Users/a/Library/Caches/tenon',
    },
    { settings: '/r/tenon', state: '/l/tenon', cache: '/l/tenon/cache' },
  ]);
});

it('makes a relative TENON_HOME absolute, because the daemon runs in another folder', () => {
  const { settings, state } = getFolders({ TENON_HOME: 'own' });
  expect([settings, state]).toEqual([resolve('own'), resolve('own', 'state')]);
});

it('is never in the working folder, also if a variable is relative or empty', () => {
  for (const home of ['', 'relative']) {
    vi.stubEnv('HOME', home);
    const { settings } = getFolders({ XDG_CONFIG_HOME: home }, 'linux');
    const { home: ofHosts } = getUserPlaces({ env: { HOME: home }, cwd: '/' });
    vi.unstubAllEnvs();
    expect([settings, ofHosts]).toEqual([getFolders({}, 'linux').settings, homedir()]);
  }
});

it('is below the root for a user without an entry and without HOME, as in containers', () => {
  const mocked = [vi.spyOn(os, 'homedir'), vi.spyOn(os, 'userInfo')];
  for (const each of mocked)
    each.mockImplementation(() => {
      throw new Error('ENOENT');
    });
  syncBuiltinESMExports();
  const { settings } = getFolders({}, 'linux');
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  expect(settings).toBe('/.config/tenon');
});
