import type { Redirect } from 'tenon/auth';
import { type LoopbackOptions, loopbackRedirect } from 'tenon/auth/node';

/**
 * A browser that keeps cookies and fills in whatever form it is shown, as a user does who says yes to everything. It stops
 * before a page for which `stop` returns true, and returns its URL.
 */
export async function browse(
  start: URL,
  answer: (prompt: string) => Record<string, string>,
  stop: (url: string) => boolean = () => false,
  cookies = new Map<string, string>(),
): Promise<string> {
  let next: { url: string; form?: URLSearchParams } = { url: start.href };
  for (let steps = 0; steps < 20; steps += 1) {
    const { url, form } = next;
    if (stop(url)) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie, ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
      ...(form ? { method: 'POST', body: String(form) } : {}),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (location !== null) next = { url: new URL(location, url).href };
    else if (text.includes('<form')) next = filledIn(text, url, answer);
    else return `${response.status} ${text}`;
  }
  throw new Error('the pages have no end');
}

function filledIn(page: string, url: string, answer: (prompt: string) => Record<string, string>) {
  const [, action = url] = /<form[^>]*action="([^"]*)"/.exec(page) ?? [];
  const fields = [...page.matchAll(/<input[^>]*name="([^"]*)"(?:[^>]*value="([^"]*)")?[^>]*>/g)];
  const form = new URLSearchParams(fields.map(([, name = '', value = '']) => [name, value]));
  for (const [name, value] of Object.entries(answer(form.get('prompt') ?? ''))) form.set(name, value);
  return { url: new URL(action.replaceAll('&amp;', '&'), url).href, form };
}

/** The real way back to this machine, with that browser at the other end. */
export function scriptedRedirect(options: LoopbackOptions = {}): { redirect: Redirect; pages: string[] } {
  const pages: string[] = [];
  const redirect = loopbackRedirect({
    ...options,
    print: () => {},
    open(url) {
      void browse(url, prompt => (prompt === 'login' ? { login: 'ada', password: 'x' } : {})).then(
        page => pages.push(page),
        error => pages.push(String(error)),
      );
    },
  });
  return { redirect, pages };
}
