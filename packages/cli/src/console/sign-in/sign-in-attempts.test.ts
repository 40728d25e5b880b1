import type { SignInView } from '@tenon/console/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openTestConsole } from '../fixtures/console-page.js';
import { type ProtectedServerOptions, startProtectedServer } from '../fixtures/protected-server.js';

let page: Awaited<ReturnType<typeof openTestConsole>>;
let server: Awaited<ReturnType<typeof startProtectedServer>> | undefined;
beforeEach(async () => {
  page = await openTestConsole();
});
afterEach(async () => {
  await page.close();
  await server?.close();
  server = undefined;
});

const start = async (options: ProtectedServerOptions = {}, body: object = {}) => {
  server = await startProtectedServer(options);
  const { id } = await page.call('POST', 'sign-ins', { url: server.url, ...body });
  return id;
};
const waitFor = async (id: number, fits: (view: SignInView) => boolean): Promise<SignInView> =>
  (await page.waitFor('sign-in', ({ attempt }) => attempt.id === id && fits(attempt))).attempt;
const openPage = async (id: number) => {
  // The events of an earlier sign-in of this attempt have a page too, so the attempt is asked for the present one.
  const url = await vi.waitFor(async () => {
    const found = (await (await page.send('POST', `sign-ins/${id}/page`)).json()) as { url: string | null };
    if (found.url === null) throw new Error('no page waits for the user');
    return found.url;
  });
  await (await fetch(url)).text();
};
const isOver = ({ state }: SignInView) => state === 'done' || state === 'failed';
const findProblem = ({ findings }: SignInView, id: string) => findings.find(each => each.id === id);

describe('a sign-in that the user tries', () => {
  it('shows each request and response in its phase, without secrets [con.oauth]', async () => {
    const id = await start();
    await openPage(id);
    const done = await waitFor(id, isOver);
    expect(done.error).toBeNull();
    expect(done.exchanges.map(({ phase, method, status }) => `${phase} ${method} ${status}`)).toEqual([
      'challenge POST 401',
      'resource-metadata GET 200',
      'issuer-metadata GET 200',
      'registration POST 201',
      'authorization GET 302',
      'token POST 200',
      'access POST 200',
    ]);
    const token = done.exchanges.find(({ phase }) => phase === 'token');
    expect(token?.requestBody).toContain('grant_type = authorization_code');
    expect(token?.requestBody).toContain(`resource = ${server?.url}`);
    const all = JSON.stringify(page.events.filter(({ type }) => type === 'sign-in'));
    for (const secret of ['the-secret-code', 'the-refresh-token', 'eyJ']) expect(all).not.toContain(secret);
    expect(token?.requestBody).toContain('code_verifier = …');
    expect(done.exchanges[4]?.url).toContain('state=…');
    expect(done.token).toMatchObject({ audience: [server?.url], isRefreshable: true, expiresIn: 600_000 });
    const broken = done.requirements.filter(({ state }) => state === 'broken');
    expect(broken).toEqual([]);
    expect(done.requirements).toContainEqual(
      expect.objectContaining({ document: 'RFC 9728', section: '3.3', state: 'met' }),
    );
  });

  it('diagnoses metadata of another resource, with the section of the standard', async () => {
    const id = await start({ resource: 'https://other.example/mcp' });
    const failed = await waitFor(id, isOver);
    expect(failed.error?.code).toBe('auth/resource-mismatch');
    expect(findProblem(failed, 'auth/resource-mismatch')).toMatchObject({
      phase: 'resource-metadata',
      seen: expect.stringContaining('https://other.example/mcp'),
      fix: expect.any(String),
    });
    expect(failed.requirements.filter(({ state }) => state === 'broken')).toEqual([
      expect.objectContaining({ document: 'RFC 9728', section: '3.3' }),
    ]);
    expect(failed.requirements).toContainEqual(
      expect.objectContaining({ document: 'RFC 9728', section: '2', state: 'open' }),
    );
    expect(server?.requests).not.toContain('POST /register');
  });

  it('diagnoses an authorization server that does not know the resource', async () => {
    const id = await start({ refusesResource: true });
    await openPage(id);
    const failed = await waitFor(id, isOver);
    expect(findProblem(failed, 'sign-in.resource')).toMatchObject({
      phase: 'token',
      seen: `resource=${server?.url}`,
      cause: expect.stringContaining('invalid_target'),
    });
    expect(failed.requirements).toContainEqual(
      expect.objectContaining({ phase: 'token', document: 'RFC 8707', section: '2.2', state: 'broken' }),
    );
  });

  it('diagnoses a token for another audience, which the server refuses', async () => {
    const id = await start({ audience: 'https://api.example' });
    await openPage(id);
    const done = await waitFor(id, isOver);
    expect(findProblem(done, 'sign-in.refused')).toMatchObject({
      severity: 'problem',
      cause: expect.stringContaining('aud: https://api.example'),
    });
  });

  it('renews the token, and asks for more scopes, as a client does', async () => {
    const id = await start();
    await openPage(id);
    await waitFor(id, ({ canContinue }) => canContinue);
    await page.call('POST', `sign-ins/${id}/refresh`);
    const renewed = await waitFor(id, view => isOver(view) && view.exchanges.some(({ round }) => round === 'refresh'));
    const round = renewed.exchanges.filter(each => each.round === 'refresh');
    expect(round.at(0)?.requestBody).toContain('grant_type = refresh_token');
    expect(round.at(0)?.requestBody).toContain('refresh_token = …');
    expect(round.at(-1)).toMatchObject({ phase: 'access', status: 200 });
    await page.call('POST', `sign-ins/${id}/step-up`, { scope: 'notes:write' });
    await openPage(id);
    const more = await waitFor(
      id,
      view => isOver(view) && view.exchanges.some(({ round: each }) => each === 'step-up'),
    );
    const authorization = more.exchanges.find(each => each.round === 'step-up' && each.phase === 'authorization');
    expect(decodeURIComponent(authorization?.url ?? '')).toContain('notes:write');
    expect(decodeURIComponent(authorization?.url ?? '')).toContain('notes:read');
  });

  it('holds each request until the user lets it pass, and ends when it is cancelled', async () => {
    const id = await start({}, { stepwise: true });
    await waitFor(id, ({ state }) => state === 'held');
    expect(server?.requests).toEqual([]);
    await page.call('POST', `sign-ins/${id}/next`);
    await waitFor(id, ({ state, exchanges }) => state === 'held' && exchanges.length === 2);
    expect(server?.requests).toEqual(['POST /mcp']);
    await page.call('POST', `sign-ins/${id}/cancel`);
    expect((await waitFor(id, isOver)).error?.code).toBe('auth/aborted');
    expect(server?.requests).toEqual(['POST /mcp']);
  });

  it('refuses other targets than URLs, and the read-only token', async () => {
    for (const url of ['', 'file:///etc/passwd', 'javascript:alert(1)', 'node server.js'])
      expect(await (await page.send('POST', 'sign-ins', { url })).json()).toMatchObject({
        error: { code: 'cli/usage' },
      });
    for (const [method, path] of [
      ['POST', 'sign-ins'],
      ['POST', 'sign-ins/1/page'],
      ['GET', 'callers'],
      ['DELETE', 'callers/x'],
    ])
      expect(
        (
          await fetch(`${page.origin}/api/${path}`, {
            method: method ?? '',
            headers: { 'x-tenon-token': page.readOnlyToken, 'content-type': 'application/json' },
            ...(method === 'POST' ? { body: '{}' } : {}),
          })
        ).status,
      ).toBe(403);
  });
});
