import { type ReadResourceResult, TenonError } from 'tenon';

const OVERFLOW_URI = /^tenon-overflow:\/\/[^?#]+(?=\?|$)/;

type ReadPage = (uri: string) => Promise<ReadResourceResult | undefined>;

/**
 * Reads a resource. The content of a result that was too large has several pages, which are read one after another, up
 * to the end of the range in the URI. A URI of one page gives that page alone.
 */
export async function* readPages(uri: string, read: ReadPage): AsyncGenerator<ReadResourceResult> {
  const [base] = OVERFLOW_URI.exec(uri) ?? [];
  if (base === undefined || readNumber(uri, 'page') !== undefined) {
    const result = await read(uri);
    if (result !== undefined) yield result;
    return;
  }
  const { OVERFLOW_NEXT } = await import('@tenon/host');
  const end = readNumber(uri, 'to');
  let position = -1;
  for (let next: string | undefined = uri; next !== undefined; ) {
    const page = await read(next);
    if (page === undefined) return;
    yield page;
    const following = page.contents[0]?._meta?.[OVERFLOW_NEXT];
    if (typeof following !== 'string' || !following.startsWith(`${base}?`)) return;
    const from = readNumber(following, 'from') ?? 0;
    if (from <= position)
      throw new TenonError('peer/invalid-result', `${base}: the pages of the content are not in order`);
    position = from;
    next = end === undefined ? following : from < end ? `${base}?from=${from}&to=${end}` : undefined;
  }
}

function readNumber(uri: string, name: string): number | undefined {
  const text = new URLSearchParams(uri.split('?')[1]).get(name);
  return text === null ? undefined : Number(text);
}

/** Joins the pages of one content to one result. */
export async function joinPages(
  uri: string,
  pages: readonly ReadResourceResult[],
): Promise<ReadResourceResult | undefined> {
  const [first, ...others] = pages;
  const [content] = first?.contents ?? [];
  if (first === undefined || content === undefined || others.length === 0) return first;
  const { OVERFLOW_NEXT } = await import('@tenon/host');
  const { [OVERFLOW_NEXT]: _, ...meta } = content._meta ?? {};
  const parts = pages.flatMap(({ contents }) => contents);
  const joined =
    'text' in content
      ? { text: parts.map(part => ('text' in part ? part.text : '')).join('') }
      : {
          blob: Buffer.concat(parts.map(part => Buffer.from('blob' in part ? part.blob : '', 'base64'))).toString(
            'base64',
          ),
        };
  return { ...first, contents: [{ ...content, uri, _meta: meta, ...joined }] };
}
