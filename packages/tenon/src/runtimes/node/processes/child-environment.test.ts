import { describe, expect, it } from 'vitest';
import { createChildEnvironment } from './child-environment.js';

describe('createChildEnvironment [auth.stdio-from-environment]', () => {
  const env = {
    ...{ PATH: '/bin', HOME: '/home/me', LANG: 'C', LC_ALL: 'C.UTF-8', TMPDIR: '/tmp', SHELL: '/bin/sh' },
    ...{ AWS_SECRET_ACCESS_KEY: 'x', GITHUB_TOKEN: 'x', NODE_OPTIONS: '--require evil', USER: '() { :; }; evil' },
  };

  it('passes the variables that programs need, the configured ones, and no others', () => {
    expect(
      createChildEnvironment({ API_KEY: 'mine', LANG: 'de', HOME: undefined }, { platform: 'linux', env }),
    ).toEqual({
      ...{ PATH: '/bin', LANG: 'de', LC_ALL: 'C.UTF-8', TMPDIR: '/tmp', SHELL: '/bin/sh', API_KEY: 'mine' },
    });
  });

  it('passes the variables for proxies, certificates and package registries, in upper and lower case', () => {
    const network = {
      HTTPS_PROXY: 'http://proxy.example:3128',
      http_proxy: 'proxy.example:3128',
      NO_PROXY: 'localhost,.internal',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      SSL_CERT_FILE: '/etc/ca.pem',
      npm_config_registry: 'https://npm.example/',
      NPM_CONFIG_CAFILE: '/etc/ca.pem',
      UV_INDEX_URL: 'https://pypi.example/simple',
    };
    const others = {
      npm_config__authToken: 'x',
      NPM_TOKEN: 'x',
      npm_config_prefix: '/x',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    };
    expect(createChildEnvironment({}, { platform: 'linux', env: { ...network, ...others } })).toEqual(network);
    expect(createChildEnvironment({ NO_PROXY: undefined }, { platform: 'linux', env: network })).not.toHaveProperty(
      'NO_PROXY',
    );
  });

  it.each([
    ['HTTPS_PROXY', 'http://ada:secret@proxy.example:3128'],
    ['http_proxy', 'ada:secret@proxy.example:3128'],
    ['npm_config_registry', 'https://ada@npm.example/'],
    ['UV_INDEX_URL', 'https://pypi.example/simple?token=hunter2hunter2'],
    ['UV_INDEX', 'https://one.example/simple https://ada:secret@two.example/simple'],
    ['PIP_INDEX_URL', 'https://pypi.example/ghp_0123456789abcdefghij0123456789abcdef/simple'],
  ])('passes no %s with credentials, unless it is configured', (name, value) => {
    expect(createChildEnvironment({}, { platform: 'linux', env: { [name]: value } })).toEqual({});
    expect(createChildEnvironment({ [name]: value }, { platform: 'linux', env: {} })).toEqual({ [name]: value });
  });

  it('passes on Windows the variables that start a program, and each name once', () => {
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
