import { describe, expect, it } from 'vitest';
import { createSandboxResponse } from './sandbox-page.js';

const hostOrigins = ['https://chat.example'];
const csp = (value: unknown) =>
  `/app?csp=${encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))}`;

describe('createSandboxResponse', () => {
  it('enforces the declared origins by a header, and can be framed by the hosts only [ext-apps.host-csp-header]', () => {
    const { status, headers } = createSandboxResponse(csp({ connectDomains: ['https://api.example', '*'] }), {
      hostOrigins,
    });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(/; connect-src https:\/\/api\.example; /);
    expect(headers['content-security-policy']).toMatch(/; frame-ancestors https:\/\/chat\.example$/);
  });

  it('has the strictest policy without declared origins', () => {
    expect(createSandboxResponse('/app', { hostOrigins }).headers['content-security-policy']).toMatch(
      /connect-src 'none'/,
    );
    expect(createSandboxResponse('/app', { hostOrigins: [] }).headers['content-security-policy']).toMatch(
      /frame-ancestors 'none'$/,
    );
  });

  it.each([csp('{'), csp('x'.repeat(10_000)), '//', 'http://[/', '//:1'])(
    'answers 400 for a URL that is malformed or too long',
    url => {
      expect(createSandboxResponse(url, { hostOrigins })).toMatchObject({ status: 400, body: 'Bad request' });
    },
  );

  it.each([
    'https://chat.example/',
    'chat.example',
    "https://chat.example'",
    '*',
    'https://chat.example </script>',
    'null',
  ])('rejects the host origin %s', origin => {
    expect(() => createSandboxResponse('/app', { hostOrigins: [origin] })).toThrow(/hostOrigins: expected origins/);
  });

  it('rejects unknown options', () => {
    expect(() => createSandboxResponse('/app', { hostOrigins, hosts: [] } as { hostOrigins: string[] })).toThrow(
      'createSandboxResponse: unknown option "hosts". Expected hostOrigins',
    );
  });
});
