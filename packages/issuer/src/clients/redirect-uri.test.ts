import { describe, expect, it } from 'vitest';
import { getCspSource, getDisplayHost, isLoopbackUri, isRedirectUri, isRegisteredRedirect } from './redirect-uri.js';

describe('isRedirectUri', () => {
  it('allows https: for web applications, on public hosts', () => {
    expect(isRedirectUri('https://app.example.com/cb?a=b', 'web')).toBe(true);
    for (const uri of ['https://localhost/cb', 'https://10.0.0.1/cb', 'http://127.0.0.1/cb', 'com.example.app:/cb'])
      expect(isRedirectUri(uri, 'web')).toBe(false);
  });

  it('allows https:, loopback and own schemes with a dot for native applications', () => {
    const uris = ['https://app.example.com/', 'https://localhost/cb', 'http://127.0.0.1:1/cb', 'com.example.app:/cb'];
    for (const uri of uris) expect(isRedirectUri(uri, 'native')).toBe(true);
    for (const uri of ['http://example.com/cb', 'myapp:/cb', 'javascript:alert(1)', 'mailto:a@b.c'])
      expect(isRedirectUri(uri, 'native')).toBe(false);
  });

  it('allows listed schemes, but none of a browser', () => {
    expect(isRedirectUri('myapp:/cb', 'native', ['myapp'])).toBe(true);
    expect(isRedirectUri('data:text', 'native', ['data'])).toBe(false);
  });

  it.each([
    'https://a.example/#b',
    'https://user@a.example/',
    'https://:word@a.example/',
    'https://a.example/ b',
    'https://a.example/\u00e9',
    'https://a.example/"',
    'https://a.example/\\',
    'https://a*b.example/',
    'no url',
    '',
  ])('rejects %j', uri => {
    expect(isRedirectUri(uri, 'native')).toBe(false);
  });

  it('allows at most 2048 characters', () => {
    const uri = 'https://a.example/';
    expect(isRedirectUri(uri.padEnd(2048, 'x'), 'web')).toBe(true);
    expect(isRedirectUri(uri.padEnd(2049, 'x'), 'web')).toBe(false);
  });

  it('allows IPv6 hosts with a port', () => {
    expect(isRedirectUri('https://[2606:4700::1111]:8443/', 'native')).toBe(true);
  });
});

describe('isRegisteredRedirect', () => {
  const loopback = 'http://127.0.0.1/cb';

  it('requires equal texts', () => {
    expect(isRegisteredRedirect('https://a.example/cb', ['https://a.example/cb'])).toBe(true);
    for (const uri of ['https://a.example/cb/', 'https://a.example:444/cb', 'https://A.example/cb'])
      expect(isRegisteredRedirect(uri, ['https://a.example/cb'])).toBe(false);
  });

  it('ignores the port of a loopback address, and nothing else', () => {
    for (const uri of [`http://127.0.0.1:8080/cb`, loopback]) expect(isRegisteredRedirect(uri, [loopback])).toBe(true);
    expect(isRegisteredRedirect('http://127.0.0.1:8080/cb', ['http://127.0.0.1:9090/cb'])).toBe(true);
    for (const uri of ['http://localhost:8080/cb', 'http://127.0.0.1:8080/x', 'http://127.0.0.1:99999/cb'])
      expect(isRegisteredRedirect(uri, [loopback])).toBe(false);
    expect(isRegisteredRedirect('http://127.0.0.1:8080/cb', ['https://a.example/cb'])).toBe(false);
  });
});

describe('isLoopbackUri', () => {
  it('returns true for http: on loopback only', () => {
    for (const uri of ['http://127.0.0.1', 'http://[::1]:80/', 'http://localhost?a'])
      expect(isLoopbackUri(uri)).toBe(true);
    for (const uri of ['https://127.0.0.1', 'http://127.0.0.1.example.com', 'http://localhost@b.example'])
      expect(isLoopbackUri(uri)).toBe(false);
  });
});

describe('the texts of the consent page', () => {
  it('name the host, or the app of a scheme', () => {
    expect(getDisplayHost('https://a.example:8443/cb')).toBe('a.example:8443');
    expect(getDisplayHost('com.example.app:/cb')).toBe('the app of com.example.app:');
  });

  it('allow the origin, or the scheme', () => {
    expect(getCspSource('http://127.0.0.1:80/cb')).toBe('http://127.0.0.1');
    expect(getCspSource('com.example.app:/cb')).toBe('com.example.app:');
  });
});
