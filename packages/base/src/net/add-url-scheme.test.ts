import { describe, expect, it } from 'vitest';
import { createClientEndpoint } from '../../../tenon/src/client/connection/http-endpoint.js';
import { addUrlScheme } from './add-url-scheme.js';

describe('addUrlScheme', () => {
  it.each([
    ['127.0.0.1:3000/mcp', 'http://127.0.0.1:3000/mcp'],
    ['localhost:3000/mcp', 'http://localhost:3000/mcp'],
    ['localhost/mcp', 'http://localhost/mcp'],
    ['[::1]:3000/mcp', 'http://[::1]:3000/mcp'],
    ['192.168.1.7/mcp', 'http://192.168.1.7/mcp'],
    ['notes:3000/mcp', 'http://notes:3000/mcp'],
    ['example.com/mcp', 'https://example.com/mcp'],
    ['mcp.example.com:8443', 'https://mcp.example.com:8443'],
  ])('completes %s', (text, url) => {
    expect(addUrlScheme(text)).toBe(url);
  });

  it.each(['notes', './server.ts', '/mcp', 'node server.js', 'C:/server', 'http://a/mcp', '@scope/name', ''])(
    'leaves other text unchanged: %s',
    text => {
      expect(addUrlScheme(text)).toBeUndefined();
    },
  );

  it.each(['127.0.0.1:3000/mcp', 'localhost:3000/mcp', 'example.com/mcp'])(
    'names the URL to write when a client gets %s',
    async url => {
      const requester = () => Promise.reject(new Error('not called'));
      const open = async () => createClientEndpoint({ url }, requester as never).open();
      await expect(open()).rejects.toMatchObject({
        code: 'http/bad-url',
        message: expect.stringMatching(/Write https?:\/\/(127|localhost|example)/),
      });
    },
  );
});
