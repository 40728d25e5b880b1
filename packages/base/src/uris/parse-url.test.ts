import { describe, expect, it } from 'vitest';
import { parseUrl, parseWebUrl } from './parse-url.js';

describe('parseUrl', () => {
  it('returns the URL of a text, also of one relative to a base', () => {
    expect(parseUrl('file:///notes.txt')?.protocol).toBe('file:');
    expect(parseUrl('../a', 'https://example.com/b/c')?.href).toBe('https://example.com/a');
  });

  it('returns undefined for a text that is no URL', () => {
    for (const text of ['', 'node', '/path', 'http://', 'http://[::1']) expect(parseUrl(text)).toBeUndefined();
  });
});

describe('parseWebUrl', () => {
  it('returns http: and https: URLs only', () => {
    expect(parseWebUrl('https://example.com/mcp')?.href).toBe('https://example.com/mcp');
    expect(parseWebUrl('HTTP://example.com')?.href).toBe('http://example.com/');
    for (const text of [
      'node',
      'ftp://example.com',
      'C:\\server.exe',
      './server.js',
      'javascript:alert(1)',
      'wss://example.com',
    ])
      expect(parseWebUrl(text)).toBeUndefined();
  });
});
