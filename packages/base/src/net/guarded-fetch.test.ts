import { describe, expect, it } from 'vitest';
import type { Clock } from '../timing/clock.js';
import { type AuthFetch, createGuardedFetch } from './guarded-fetch.js';
import { createUrlGuard } from './url-guard.js';

const clock: Clock = { now: () => 0, elapsed: () => 0, after: () => () => {} };
const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } });
const guarded = (fetchLike: AuthFetch, time = clock, server = 'https://mcp.example.com') =>
  createGuardedFetch({ fetch: fetchLike, guard: createUrlGuard(server), clock: time });

describe('createGuardedFetch', () => {
  it('checks each hop of a redirect [security.ssrf.redirects-checked]', async () => {
    const requests: string[] = [];
    const fetch = guarded(async url => {
      requests.push(url);
      return requests.length === 1 ? redirect('https://b.example/x') : redirect('https://169.254.169.254/latest');
    });
    await expect(fetch('https://a.example/')).rejects.toMatchObject({ code: 'auth/unsafe-url' });
    expect(requests).toEqual(['https://a.example/', 'https://b.example/x']);
  });

  it('follows at most five redirects, and none to a less secure address', async () => {
    const fetch = guarded(async () => redirect('https://a.example/again'));
    await expect(fetch('https://a.example/')).rejects.toMatchObject({ code: 'auth/redirected' });
    const down = guarded(async () => redirect('http://127.0.0.1/'), clock, 'http://127.0.0.1');
    await expect(down('https://127.0.0.1/')).rejects.toMatchObject({ code: 'auth/redirected' });
  });

  it('follows no redirect when maxRedirects is 0', async () => {
    const requested: string[] = [];
    const fetchLike: AuthFetch = async url => {
      requested.push(url);
      return redirect('https://b.example/x');
    };
    const guard = createUrlGuard('https://mcp.example.com');
    const fetch = createGuardedFetch({ fetch: fetchLike, guard, clock, maxRedirects: 0 });
    await expect(fetch('https://a.example/')).rejects.toMatchObject({ code: 'auth/redirected' });
    expect(requested).toEqual(['https://a.example/']);
  });

  it('sends no secret after a redirect', async () => {
    let requestCount = 0;
    const fetch = guarded(async () => {
      requestCount += 1;
      return redirect('https://b.example/token', 307);
    });
    const post = fetch('https://a.example/token', { method: 'POST', body: 'client_secret=x' });
    await expect(post).rejects.toMatchObject({ code: 'auth/redirected' });
    expect(requestCount).toBe(1);
  });

  it('reads 256 KiB and no more', async () => {
    const fits = guarded(async () => new Response('x'.repeat(256 * 1024)));
    expect((await (await fits('https://a.example')).text()).length).toBe(256 * 1024);
    const long = guarded(async () => new Response('x'.repeat(256 * 1024 + 1)));
    await expect(long('https://a.example')).rejects.toMatchObject({ code: 'auth/too-large' });
  });

  it('rejects after 10 s', async () => {
    let fire = () => {};
    const time: Clock = {
      now: () => 0,
      elapsed: () => 0,
      after(ms, run) {
        expect(ms).toBe(10_000);
        fire = run;
        return () => {};
      },
    };
    const hanging: AuthFetch = (_, { signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const wait = guarded(hanging, time)('https://a.example');
    fire();
    await expect(wait).rejects.toMatchObject({ code: 'auth/timeout' });
  });

  it('hides the request in its errors', async () => {
    const fetch = guarded(async () => {
      throw Object.assign(new Error('failed with secret-token'), { code: 'ECONNRESET', request: 'secret-token' });
    });
    const error = await fetch('https://a.example/p?code=secret').catch(thrown => thrown);
    expect(error).toMatchObject({ code: 'auth/unreachable', received: 'ECONNRESET', peer: 'https://a.example/p' });
    expect(error.hint).toContain('is running');
    expect(`${error.message}${JSON.stringify(error)}${error.cause}`).not.toContain('secret');
  });
});
