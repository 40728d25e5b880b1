import type { AuthFetch } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { ProtectOptions } from './options.js';
import { protect } from './protect.js';

const RESOURCE = 'https://mcp.example.com/mcp';
const ISSUER = 'https://login.example.com';
const PATH = '/.well-known/oauth-authorization-server';

function setUp(options: Partial<ProtectOptions> = {}) {
  const requests: string[] = [];
  const errors: string[] = [];
  let now = 1_000_000;
  let works = true;
  const fetch: AuthFetch = async url => {
    requests.push(url);
    const { origin } = new URL(url);
    if (!works || !url.endsWith(PATH)) return new Response('no', { status: 404 });
    const body = { issuer: origin, token_endpoint: `${origin}/token`, extra: requests.length };
    return new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
  };
  const { remoteDocuments } = protect({
    resource: RESOURCE,
    issuers: [ISSUER],
    fetch,
    clock: { now: () => now, elapsed: () => now, after: () => () => {} },
    onError: ({ code }) => errors.push(code),
    ...options,
  });
  return {
    requests,
    errors,
    paths: [...(remoteDocuments?.keys() ?? [])],
    read: async () => JSON.parse((await remoteDocuments?.get(PATH)?.()) ?? 'null') as unknown,
    advance: (ms: number) => (now += ms),
    breakDown: () => (works = false),
  };
}

describe('the metadata of an issuer at the origin of the server', () => {
  it('are fetched on request, and again after 5 minutes', async () => {
    const on = setUp();
    expect(on.requests).toEqual([]);
    const [first] = await Promise.all([on.read(), on.read()]);
    expect(first).toEqual({ issuer: ISSUER, token_endpoint: `${ISSUER}/token`, extra: 1 });
    on.advance(299_999);
    expect(await on.read()).toEqual(first);
    on.advance(1);
    expect(await on.read()).toMatchObject({ extra: 2 });
  });

  it('stay the same while the issuer fails, and a failure is not repeated for 10 s', async () => {
    const on = setUp();
    const first = await on.read();
    on.breakDown();
    on.advance(300_000);
    expect(await on.read()).toEqual(first);
    expect(on.errors).toEqual(['auth/issuer']);

    const broken = setUp();
    broken.breakDown();
    expect([await broken.read(), await broken.read()]).toEqual([null, null]);
    const before = broken.requests.length;
    expect(broken.errors).toHaveLength(1);
    broken.advance(10_000);
    await broken.read();
    expect(broken.requests.length).toBe(2 * before);
  });

  it.each<[string, Partial<ProtectOptions>, string[]]>([
    ['of none of several issuers', { issuers: [ISSUER, 'https://other.example.com'] }, []],
    ['of the one that is named', { issuers: [ISSUER, 'https://other.example.com'], originMetadata: ISSUER }, [PATH]],
    ['not of one that is not wanted', { originMetadata: false }, []],
    ['not of one that serves it there itself', { issuers: ['https://mcp.example.com'] }, []],
    ['of one with a path on the same origin', { issuers: ['https://mcp.example.com/login'] }, [PATH]],
  ])('are served %s: %j', (_, options, paths) => expect(setUp(options).paths).toEqual(paths));

  it('are refused for an issuer whose tokens are not accepted', () => {
    expect(() => setUp({ originMetadata: 'https://other.example.com' })).toThrow(
      expect.objectContaining({ code: 'auth/options' }),
    );
  });
});
