/** A token that is given, on its way past everybody who listens on the network. */

import { connect } from 'tenon';
import { bearer } from 'tenon/auth';
import { describe, expect, it } from 'vitest';
import { headersOf } from '../../../packages/tenon/src/auth/client/fixtures/world.js';

describe('a bearer token over plain http:', () => {
  it.each([
    'http://mcp.example.com/mcp',
    'http://10.0.0.1/mcp',
    'http://notes:3000/mcp',
    'http://[fd00::1]/mcp',
    'http://169.254.169.254/',
  ])('is not sent to %s [auth.token.own-server-only]', async url => {
    let requestCount = 0;
    const token = () => {
      requestCount += 1;
      return 'abc';
    };
    await expect(headersOf(bearer(token), url)).rejects.toMatchObject({ code: 'auth/insecure-server' });
    await expect(connect({ url, auth: 'abc' })).rejects.toMatchObject({ code: 'auth/insecure-server' });
    expect(requestCount).toBe(0);
    expect(await headersOf(bearer(token, { allowInsecure: true }), url)).toEqual({ authorization: 'Bearer abc' });
  });

  it.each(['http://127.0.0.1:1/mcp', 'http://localhost/mcp', 'http://[::1]/mcp', 'https://mcp.example.com/mcp'])(
    'is sent to %s',
    async url => expect(await headersOf(bearer('abc'), url)).toEqual({ authorization: 'Bearer abc' }),
  );
});
