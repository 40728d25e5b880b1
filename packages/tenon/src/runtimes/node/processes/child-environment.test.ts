import { describe, expect, it } from 'vitest';
import { createChildEnvironment } from './child-environment.js';

describe('the environment of a server [auth.stdio-from-environment]', () => {
  const env = {
    ...{ PATH: '/bin', HOME: '/home/me', LANG: 'C', LC_ALL: 'C.UTF-8', TMPDIR: '/tmp', SHELL: '/bin/sh' },
    ...{ AWS_SECRET_ACCESS_KEY: 'x', GITHUB_TOKEN: 'x', NODE_OPTIONS: '--require evil', USER: '() { :; }; evil' },
  };

  it('has the variables that programs need, the configured ones, and no others', () => {
    expect(
      createChildEnvironment({ API_KEY: 'mine', LANG: 'de', HOME: undefined }, { platform: 'linux', env }),
    ).toEqual({
      ...{ PATH: '/bin', LANG: 'de', LC_ALL: 'C.UTF-8', TMPDIR: '/tmp', SHELL: '/bin/sh', API_KEY: 'mine' },
    });
  });

  it('has on Windows what starting a program takes, and each name once', () => {
    const own = {
      Path: 'C:\\bin',
      PATHEXT: '.EXE',
      ComSpec: 'cmd',
      SystemRoot: 'C:\\Windows',
      APPDATA: 'C:\\a',
      SECRET: 'x',
    };
    expect(createChildEnvironment({ PATH: 'D:\\bin' }, { platform: 'win32', env: own })).toEqual({
      ...{ PATH: 'D:\\bin', PATHEXT: '.EXE', ComSpec: 'cmd', SystemRoot: 'C:\\Windows', APPDATA: 'C:\\a' },
    });
  });
});
