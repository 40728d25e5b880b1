/** Another page sends the form of the consent page in the name of a user who has not seen it. */
import { describe, expect, it } from 'vitest';
import { ISSUER, openTestIssuer, readPage } from '../../../packages/issuer/src/fixtures/visitor.js';

/** Everybody is signed in: what is left between a client and the user is the form. */
const open = () => openTestIssuer({ users: undefined as never, signIn: () => 'ada' } as never);

async function isAllowed(response: Response): Promise<boolean> {
  return (response.headers.get('location') ?? '').includes('code=');
}

describe('the consent page', () => {
  it('accepts its own form', async () => {
    const testIssuer = open();
    const page = await readPage(await testIssuer.ask());
    expect(await isAllowed(await testIssuer.answer(page, {}, { origin: ISSUER }))).toBe(true);
  });

  it('refuses a form that another browser was shown', async () => {
    const testIssuer = open();
    const page = await readPage(await testIssuer.ask());
    const victim = await readPage(await testIssuer.ask());
    for (const cookie of ['', victim.cookie, `${page.cookie.split('=')[0]}=${victim.cookie.split('=')[1]}`]) {
      const response = await testIssuer.answer(page, {}, { cookie });
      expect(response.status).toBe(400);
      expect(await isAllowed(response)).toBe(false);
    }
  });

  it('refuses a form without its token, or with another token', async () => {
    const testIssuer = open();
    const [page, other] = [await readPage(await testIssuer.ask()), await readPage(await testIssuer.ask())];
    for (const token of ['', 'x', other.fields.token ?? '']) {
      expect(await isAllowed(await testIssuer.answer(page, { token }))).toBe(false);
    }
  });

  it('refuses a form from another origin', async () => {
    const testIssuer = open();
    for (const origin of ['https://evil.example.com', 'null', `${ISSUER}.evil.example.com`]) {
      expect(await isAllowed(await testIssuer.answer(await readPage(await testIssuer.ask()), {}, { origin }))).toBe(
        false,
      );
    }
  });

  it('refuses a link', async () => {
    const testIssuer = open();
    const page = await readPage(await testIssuer.ask());
    const query = new URLSearchParams({ ...page.fields, answer: 'allow' });
    expect((await testIssuer.send(`/consent?${query}`, { headers: { cookie: page.cookie } })).status).toBe(405);
  });

  it('refuses a repeated form', async () => {
    const testIssuer = open();
    const page = await readPage(await testIssuer.ask());
    expect(await isAllowed(await testIssuer.answer(page))).toBe(true);
    expect(await isAllowed(await testIssuer.answer(page))).toBe(false);
  });

  it('sets a cookie that other pages and scripts cannot use [security.proxy.consent-cookie]', async () => {
    const response = await open().ask();
    const cookie = response.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^__Host-tenon-[\w-]{16}=[\w-]{43}; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Lax$/);
  });
});
