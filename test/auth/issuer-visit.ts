import { vi } from 'vitest';

/** A user before a browser, who answers the consent page of our issuer. Gives where the browser is sent. */
export async function visit(url: string, answer = 'allow'): Promise<string> {
  const page = await fetch(url, { redirect: 'manual' });
  const text = await page.text();
  const hidden = [...text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)];
  const fields = new URLSearchParams(hidden.map(([, name = '', value = '']) => [name, value]));
  for (const [name, value] of Object.entries({ answer, name: 'ada', password: 'a password' })) fields.set(name, value);
  const [, action = ''] = /action="([^"]*)"/.exec(text) ?? [];
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const sent = await fetch(new URL(action, url), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(fields),
  });
  const to = sent.headers.get('location');
  if (to === null) throw new Error(`${sent.status} ${await sent.text()}`);
  await returnTo(to);
  return to;
}

/** The client may not listen yet. */
async function returnTo(url: string): Promise<void> {
  await vi.waitFor(async () => {
    await (await fetch(url)).text();
  });
}
