import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyAddress, classifyHost } from './address-class.js';
import { checkBrowserUrl, createUrlGuard } from './url-guard.js';

const refused = expect.objectContaining({ code: 'auth/unsafe-url' });

describe('classifyAddress', () => {
  it.each([
    ['8.8.8.8', 'public'],
    ['127.0.0.1', 'loopback'],
    ['127.255.0.9', 'loopback'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.32.0.1', 'public'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['100.128.0.1', 'public'],
    ['169.254.169.254', 'link-local'],
    ['0.0.0.0', 'reserved'],
    ['224.0.0.1', 'reserved'],
    ['255.255.255.255', 'reserved'],
    ['::1', 'loopback'],
    ['[::1]', 'loopback'],
    ['::', 'reserved'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['::ffff:a9fe:a9fe', 'link-local'],
    ['::7f00:1', 'loopback'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b:1::1', 'private'],
    ['2002:7f00:1::', 'loopback'],
    ['2001::1', 'reserved'],
    ['fd00::1', 'private'],
    ['fe80::1%eth0', 'link-local'],
    ['ff02::1', 'reserved'],
    ['2606:4700::1111', 'public'],
    ['1::2::3', 'reserved'],
    ['168.63.129.16', 'link-local'],
    ['100.100.100.200', 'link-local'],
    ['168.63.129.17', 'public'],
    ['::ffff:168.63.129.16', 'link-local'],
    ['fd00:ec2::254', 'link-local'],
    ['fd20:ce::254', 'link-local'],
    ['192.0.0.8', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['192.0.3.1', 'public'],
    ['192.31.196.1', 'reserved'],
    ['192.52.193.1', 'reserved'],
    ['192.88.99.1', 'reserved'],
    ['192.175.48.1', 'reserved'],
    ['198.18.0.1', 'private'],
    ['198.51.100.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['240.0.0.1', 'reserved'],
    ['100::1', 'reserved'],
    ['100:0:0:1::1', 'reserved'],
    ['2001:2::1', 'reserved'],
    ['2001:3::1', 'reserved'],
    ['2001:4:112::1', 'reserved'],
    ['2001:10::1', 'reserved'],
    ['2001:1f:ffff::1', 'reserved'],
    ['2001:20::1', 'reserved'],
    ['2001:30::1', 'reserved'],
    ['2001:1ff::1', 'reserved'],
    ['2001:200::1', 'public'],
    ['2001:db8::1', 'reserved'],
    ['2620:4f:8000::1', 'reserved'],
    ['2620:4f:8001::1', 'public'],
    ['3fff:fff::1', 'reserved'],
    ['3fff:0:ffff::1', 'reserved'],
    ['3fff:1000::1', 'public'],
    ['5f00::1', 'reserved'],
    ['example.com', undefined],
  ])('classifies %s as %s', (address, reach) => expect(classifyAddress(address)).toBe(reach));

  it.each([
    ['localhost', 'loopback'],
    ['a.localhost.', 'loopback'],
    ['metadata.google.internal', 'link-local'],
    ['metadata.goog', 'link-local'],
    ['METADATA.GOOG.', 'link-local'],
    ['metadata', 'link-local'],
    ['instance-data', 'link-local'],
    ['metadata.azure.internal', 'link-local'],
    ['printer.local', 'private'],
    ['printer', 'private'],
    ['printer.', 'private'],
    ['kubernetes', 'private'],
    ['kubernetes.default.svc', 'private'],
    ['kubernetes.default.svc.cluster.local', 'private'],
    ['vault.internal', 'private'],
    ['wiki.corp', 'private'],
    ['wiki.intranet', 'private'],
    ['nas.home.arpa', 'private'],
    ['app.test', 'private'],
    ['fd00:42::42', 'link-local'],
    ['127.0.0.1.', 'loopback'],
    ['[::ffff:7f00:1]', 'loopback'],
    ['2130706433', 'reserved'],
    ['0x7f.1', 'reserved'],
    ['0177.0.0.1', 'reserved'],
    ['10.1', 'reserved'],
    ['127\u30020.0.1', 'reserved'],
    ['\uff11\uff12\uff17.0.0.1', 'reserved'],
    ['svc.example.com', 'public'],
    ['internal.example.com', 'public'],
    ['example.com', 'public'],
  ])('classifies the host %s as %s', (host, reach) => expect(classifyHost(host)).toBe(reach));

  it('agrees with URL for any spelling', () => {
    fc.assert(
      fc.property(fc.ipV4(), address => {
        expect(classifyHost(new URL(`http://${address}`).hostname)).toBe(classifyAddress(address));
        const mapped = new URL(`http://[::ffff:${address}]`).hostname;
        expect(classifyAddress(mapped)).toBe(classifyAddress(address));
      }),
    );
    expect(classifyHost(new URL('http://0x7f.1').hostname)).toBe('loopback');
    expect(classifyHost(new URL('http://2130706433').hostname)).toBe('loopback');
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV6()), text => void [classifyAddress(text), classifyHost(text)]));
  });
});

describe('createUrlGuard', () => {
  const check =
    (server: string, url: string, options = {}) =>
    () =>
      createUrlGuard(server, options).check(url, 'it');

  it.each([
    ['http://as.example.com', {}],
    ['https://u:p@as.example.com', {}],
    ['ftp://as.example.com', {}],
    ['javascript:alert(1)', {}],
    ['file:///etc/passwd', {}],
    ['relative', {}],
    ['https://10.0.0.1', {}],
    ['https://127.0.0.1', {}],
    ['https://localhost', {}],
    ['https://[::ffff:10.0.0.1]', {}],
    ['https://intranet', {}],
    ['https://kubernetes.default.svc', {}],
    ['https://[2001:20::1]', {}],
    ['https://metadata.goog', { allowPrivate: true }],
    ['https://168.63.129.16', { allowPrivate: true }],
    ['https://169.254.169.254', { allowPrivate: true }],
    ['http://10.0.0.1', { allowPrivate: true }],
  ])('refuses %s for a public server [security.ssrf.https-only security.ssrf.private-ranges-blocked]', (url, options) =>
    expect(check('https://mcp.example.com/mcp', url, options)).toThrow(refused),
  );

  it.each([
    ['https://mcp.example.com', 'https://as.example.com', {}],
    ['https://mcp.example.com', 'https://10.0.0.1', { allowPrivate: true }],
    ['https://mcp.example.com', 'http://as.example.com', { allowInsecure: true }],
    ['http://127.0.0.1:3000/mcp', 'http://localhost:4000', {}],
    ['http://127.0.0.1:3000/mcp', 'https://10.0.0.1', {}],
    ['https://10.0.0.2/mcp', 'https://10.0.0.1', {}],
  ])('allows, for %s, %s', (server, url, options) => expect(check(server, url, options)().href).toBe(`${url}/`));

  it.each([
    ['http://127.0.0.1:3000', 'http://as.example.com'],
    ['http://127.0.0.1:3000', 'http://10.0.0.1'],
    ['http://127.0.0.1:3000', 'https://169.254.169.254'],
  ])('refuses, for %s, %s', (server, url) => expect(check(server, url)).toThrow(refused));

  it('checks the address to which a name resolves', () => {
    const { mayConnect } = createUrlGuard('https://mcp.example.com');
    expect(['8.8.8.8', '10.0.0.1', '::1', 'junk'].map(address => mayConnect(address))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('accepts https:, and http: on this machine [security.auth-url.schemes security.auth-url.allowlist]', () => {
    expect(checkBrowserUrl('https://as.example.com/a?b=c').href).toBe('https://as.example.com/a?b=c');
    expect(checkBrowserUrl('http://localhost:1/a').href).toBe('http://localhost:1/a');
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///x',
      'vbscript:x',
      'http://as.example.com',
      'ms-msdt:x',
    ])
      expect(() => checkBrowserUrl(url)).toThrow(refused);
  });
});
