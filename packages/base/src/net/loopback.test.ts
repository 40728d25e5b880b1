import { describe, expect, it } from 'vitest';
import { classifyHost } from './address-class.js';
import { isLoopbackAddress, isLoopbackDomain, isLoopbackHost } from './loopback.js';

/** A host, and the first check that takes it: each takes what those before it take. */
const hosts: [host: string, kind: 'address' | 'host' | 'domain' | 'none'][] = [
  ['127.0.0.1', 'address'],
  ['127.9.9.9', 'address'],
  ['127.255.255.255', 'address'],
  ['[::1]', 'address'],
  ['::1', 'address'],
  ['::1%lo', 'address'],
  ['0:0:0:0:0:0:0:1', 'address'],
  ['::ffff:127.0.0.1', 'address'],
  ['[::ffff:7f00:1]', 'address'],
  ['::FFFF:127.9.9.9', 'address'],
  ['localhost', 'host'],
  ['LOCALHOST', 'host'],
  ['localhost.', 'host'],
  ['app.localhost', 'domain'],
  ['a.b.LocalHost.', 'domain'],
  ['0.0.0.0', 'none'],
  ['::', 'none'],
  ['[::]', 'none'],
  ['::2', 'none'],
  ['1::1', 'none'],
  ['::ffff:10.0.0.1', 'none'],
  ['::ffff:126.127.0.1', 'none'],
  ['::fffe:127.0.0.1', 'none'],
  ['127.0.0.256', 'none'],
  ['127.0.0', 'none'],
  ['127.1', 'none'],
  ['0x7f.1', 'none'],
  ['0177.0.0.1', 'none'],
  ['2130706433', 'none'],
  ['128.0.0.1', 'none'],
  ['evil.localhost.com', 'none'],
  ['localhost.evil.com', 'none'],
  ['127.0.0.1.evil.com', 'none'],
  ['127.evil.com', 'none'],
  ['xlocalhost', 'none'],
  ['localhost..', 'none'],
  ['localhost\n', 'none'],
  ['localhost@evil.com', 'none'],
  ['', 'none'],
];

describe('the checks of loopback', () => {
  it.each(hosts)('classify %j as %s', (host, kind) => {
    expect(isLoopbackAddress(host)).toBe(kind === 'address');
    expect(isLoopbackHost(host)).toBe(kind === 'address' || kind === 'host');
    expect(isLoopbackDomain(host)).toBe(kind !== 'none');
    expect(classifyHost(host) === 'loopback').toBe(kind !== 'none');
  });

  it.each(hosts.filter(([host]) => host !== ''))('refuse %j with a port', host => {
    const checks = [isLoopbackAddress, isLoopbackHost, isLoopbackDomain];
    const isBareIpv6 = host.includes(':') && !host.endsWith(']');
    if (!isBareIpv6) expect(checks.map(check => check(`${host}:8080`))).toEqual([false, false, false]);
  });

  it.each(['http://0x7f.1', 'http://2130706433', 'http://127.1', 'http://0177.0.0.1'])(
    'accept the address into which a URL converts %s',
    url => expect(isLoopbackAddress(new URL(url).hostname)).toBe(true),
  );
});
