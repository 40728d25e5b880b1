import { renderHtml } from '@tenon/base/writers';
import { TenonError } from 'tenon';
import type { AppOptions } from './app.js';

const MAX_LENGTH = 8_388_608;
/** Maximum time for a page of another server, in milliseconds. */
const TIMEOUT = 10_000;

/** Returns the HTML of an app: from the definition, a file or another server. */
export async function readPage({ uri, html, file, url }: AppOptions): Promise<string> {
  if (html !== undefined) return html;
  if (file !== undefined) {
    const { readFile } = await import('node:fs/promises');
    return readFile(file, 'utf8');
  }
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT) });
  if (!response.ok) throw new TenonError('app/page', `app "${uri}": HTTP ${response.status} from its url`);
  const text = await response.text();
  if (text.length > MAX_LENGTH)
    throw new TenonError('app/page', `app "${uri}": the page is too large`, {
      expected: `at most ${MAX_LENGTH} characters`,
    });
  return addBase(text, response.url);
}

/** Adds a base, so that relative URLs of the page lead to its server. */
function addBase(html: string, url: string): string {
  const base = renderHtml`<base href="${url}">`.html;
  return /<head[^>]*>/i.test(html) ? html.replace(/<head[^>]*>/i, head => head + base) : base + html;
}
