import { describe, expect, it } from 'vitest';
import { createHttpAuth } from './http-auth.js';

const env = { TOKEN: 'a-token-of-many-characters', SHORT: 'short' };

function judged(authorization: string | undefined) {
  const { authorize } = createHttpAuth({ bearerEnv: 'TOKEN' }, env);
  return authorize?.({ header: () => authorization } as never);
}

describe('HTTP authorization', () => {
  it('accepts the configured token only', () => {
    for (const scheme of ['Bearer', 'bearer'])
      expect(judged(`${scheme} ${env.TOKEN}`)).toMatchObject({ auth: { principal: 'bearer' } });
    for (const given of [undefined, '', env.TOKEN, `Basic ${env.TOKEN}`, `Bearer ${env.TOKEN} `, 'Bearer ']) {
      expect(judged(given), given).toMatchObject({ status: 401 });
    }
  });

  it('accepts every caller without options', () => {
    expect(createHttpAuth({}, env)).toEqual({});
  });

  it('refuses incomplete options', () => {
    const issuer = 'https://issuer.example';
    for (const options of [
      { bearerEnv: 'NONE' },
      { bearerEnv: 'SHORT' },
      { issuer },
      { audience: issuer },
      { bearerEnv: 'TOKEN', issuer },
    ]) {
      expect(() => createHttpAuth(options, env)).toThrow(expect.objectContaining({ code: 'cli/usage' }));
    }
  });

  it('has tokens for a virtual server bound to its own URL', () => {
    const options = { issuer: 'https://issuer.example', audience: 'https://gateway.example/mcp' };
    const resourceOf = (path?: string) => {
      const [document = '{}'] = createHttpAuth(options, env, path).auth?.documents.values() ?? [];
      return JSON.parse(document).resource;
    };
    expect(resourceOf()).toBe('https://gateway.example/mcp');
    expect(resourceOf('/docs')).toBe('https://gateway.example/docs');
  });
});
