import { expect, it } from 'vitest';
import { foldersOf } from './folders.js';

it('keeps the key apart from what is hashed with it, on every platform', () => {
  const all = [
    foldersOf({ TENON_HOME: '/t' }, 'linux', '/home/a'),
    foldersOf({}, 'linux', '/home/a'),
    foldersOf({ XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s' }, 'linux', '/home/a'),
    foldersOf({}, 'darwin', '/Users/a'),
    foldersOf({ APPDATA: '/r', LOCALAPPDATA: '/l' }, 'win32', '/u'),
  ];
  expect(all).toEqual([
    { settings: '/t', state: '/t/state' },
    { settings: '/home/a/.config/tenon', state: '/home/a/.local/state/tenon' },
    { settings: '/c/tenon', state: '/s/tenon' },
    {
      settings: '/Users/a/Library/Application Support/tenon',
      state: '/Users/a/Library/Application Support/tenon/state',
    },
    { settings: '/r/tenon', state: '/l/tenon' },
  ]);
});
