// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { describe, expect, it } from 'vitest';
import { maskArgument, maskUrl, maskValue } from './mask-secrets.js';

describe('maskSecrets', () => {
  it.each([
    ['--port=8080', undefined, '--port=8080'],
    ['8080', '--port', '8080'],
    ['hush', '--api-key', '••••'],
    ['${KEY}', '--api-key', '${env:KEY}'],
    ['--api-key=hush', undefined, '--api-key=••••'],
    ['API_TOKEN=hush', '-e', 'API_TOKEN=••••'],
    ['Authorization: Bearer hush', '--header', 'Authorization:••••'],
    ['sk-abc', undefined, '••••'],
    ['ghp_abc', undefined, '••••'],
    ['x=eyJhbGciOi', undefined, '••••'],
    ['a1b2c3d4e5f6a1b2c3d4e5f6', undefined, '••••'],
    ['@modelcontextprotocol/server-filesystem@2025', undefined, '@modelcontextprotocol/server-filesystem@2025'],
    ['postgres://me:hush@db/x?y=hush', undefined, 'postgres://••••@db/x?y=••••'],
    ['/a/very/long/path/to/some/file.js', undefined, '/a/very/long/path/to/some/file.js'],
  ])('leaves of the argument %s after %s %s', (text, before, shown) => {
    expect(maskArgument(text, before)).toBe(shown);
  });

  it('leaves the variables of a value, and the location of a URL', () => {
    expect(maskValue('Bearer ${TOKEN:-hush}!')).toBe('••••${env:TOKEN:-••••}••••');
    expect(maskValue('${what:hush}')).toBe('••••');
    expect(maskUrl('https://a.example/mcp/a1b2c3d4e5f6a1b2c3d4e5f6?a=1&b=2#c')).toBe(
      'https://a.example/mcp/••••?a=••••&b=••••#••••',
    );
  });
});
