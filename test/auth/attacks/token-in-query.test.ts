import { expect, it } from 'vitest';
import { served } from '../served.js';

/** What stands in a URL is in the logs of every proxy, in histories and in Referer headers. RFC 6750, 5.3. */
it.each(['access_token=', 'a=b&access_token=', 'ACCESS_TOKEN='])(
  'refuses a token in the query "%s" with 400 and the reason, also beside a valid header [auth.status.400]',
  async query => {
    const { send, issuer, bearer } = await served();
    const token = await issuer.token();
    for (const headers of [{}, await bearer()]) {
      for (const path of [`/mcp?${query}${token}`, `/sse?${query}${token}`]) {
        const { status, challenge, text } = await send({ path, method: 'POST', headers });
        expect([status, challenge?.params.error]).toEqual([400, 'invalid_request']);
        expect(challenge?.params.error_description).toContain('Authorization header');
        expect(text).not.toContain(token.slice(-20));
      }
    }
  },
);
