import { fakeClock } from '@tenon/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import type { ContentBlock } from '../../../../tenon/src/protocol/content.js';
import type { CallToolResult } from '../../../../tenon/src/protocol/params-and-results.js';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import { DEFAULT_OUTPUT_LIMITS, getBlockSize, getJsonSize } from './output-limits.js';
import { createOverflowStore, OVERFLOW_NEXT } from './overflow-store.js';
import { NOTICE_SIZE } from './preview.js';
import { truncateResult } from './truncate-result.js';

function createStore() {
  const clock = fakeClock();
  const { values } = memoryStores({ clock });
  return createOverflowStore({ values, clock, maxPageSize: 5_000 });
}
type Place = ReturnType<typeof createStore>;

const limits = {
  maxTotal: 8_000,
  maxText: 3_000,
  maxBinary: 4_000,
  maxStructured: 1_000,
  maxWithSchema: 2_000,
  maxOther: 500,
};
const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const linksOf = ({ content }: CallToolResult) =>
  content.flatMap(block => (block.type === 'resource_link' && block.name === 'left-out' ? [block.uri] : []));
const wordsOf = ({ content }: CallToolResult) =>
  content.map(block => (block.type === 'text' ? block.text : `<${block.type}>`)).join('|');

/** The whole of what was put away, page by page. */
async function readAll(overflowStore: Place, start: string, principal = 'ann'): Promise<string> {
  const parts: string[] = [];
  for (let uri: unknown = start; uri !== undefined; ) {
    const [content] = (await overflowStore.read(String(uri), principal))?.contents ?? [];
    if (!content) throw new Error(`nothing at ${uri}`);
    parts.push('text' in content ? content.text : Buffer.from(content.blob, 'base64').toString('latin1'));
    uri = content._meta?.[OVERFLOW_NEXT];
  }
  return parts.join('');
}
const run = (overflow: Place, result: CallToolResult, hasOutputSchema = false) =>
  truncateResult(result, { overflow, principal: 'ann', limits, hasOutputSchema });

const URIS = /tenon-overflow:\/\/[\w-]+(?:\?[\w=&]+)?/g;

describe('a result within the limits', () => {
  it('stays unchanged', async () => {
    const result: CallToolResult = { content: [text('x'.repeat(3_000))], structuredContent: { a: 1 }, _meta: { b: 2 } };
    expect(await run(createStore(), result)).toBe(result);
    expect(DEFAULT_OUTPUT_LIMITS.maxText).toBeLessThan(DEFAULT_OUTPUT_LIMITS.maxTotal);
  });
});

describe('a result over the limits', () => {
  it.each([1_000, 200, 20])('keeps half of a text of at most %i characters beside the notice', async maxText => {
    const long = 'word '.repeat(1_000);
    const { content } = await truncateResult(
      { content: [text(long)] },
      { overflow: createStore(), principal: 'ann', limits: { maxText } },
    );
    const [first, link] = content;
    const [head = '', notice = '', tail = ''] = first?.type === 'text' ? first.text.split('\n') : [];
    expect(long.startsWith(head) && long.endsWith(tail)).toBe(true);
    expect(head.length + tail.length).toBe(maxText / 2);
    expect(notice).toMatch(/^\[\d+ of 5000 characters are left out here\. Read all of it at tenon-overflow:/);
    expect(link).toMatchObject({ type: 'resource_link' });
  });

  it('contains the beginning and the end of a long text, and a link to the rest', async () => {
    const overflowStore = createStore();
    const long = Array.from({ length: 3_000 }, (_, i) => `${i}`).join(' ');
    const annotations = { audience: ['user' as const] };
    const capped = await run(overflowStore, {
      content: [{ type: 'text', text: long, annotations }, text('next')],
      isError: true,
    });
    const [first, link, last] = capped.content;
    expect(capped.isError).toBe(true);
    expect(last).toEqual(text('next'));
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'text/plain' });
    if (first?.type !== 'text') throw new Error('no text');
    expect(first.annotations).toEqual(annotations);
    const [, head = '', count, total, notice = '', tail = ''] =
      /^(.*)\n\[(\d+) of (\d+) characters are left out here\. (Read all of it in 3 pages, at .*)\]\n(.*)$/s.exec(
        first.text,
      ) ?? [];
    const [page, lastPage, part] = notice.match(URIS) ?? [];
    const uri = page?.replace('?page=1', '');
    expect([page, lastPage, ...linksOf(capped)]).toEqual([`${uri}?page=1`, `${uri}?page=3`, uri]);
    expect([Number(count), Number(total)]).toEqual([long.length - head.length - tail.length, long.length]);
    expect(
      (await readAll(overflowStore, part ?? '')).startsWith(long.slice(head.length, long.length - tail.length)),
    ).toBe(true);
    expect(head + long.slice(head.length, long.length - tail.length) + tail).toBe(long);
    expect(await readAll(overflowStore, uri ?? '')).toBe(long);
    expect(getBlockSize(first) + getBlockSize(link as ContentBlock)).toBeLessThanOrEqual(limits.maxText);
  });

  it('contains no image that is too large, and never a part of one', async () => {
    const overflowStore = createStore();
    const data = Buffer.from('y'.repeat(5_000)).toString('base64');
    const small: ContentBlock = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' };
    const blob: ContentBlock = { type: 'resource', resource: { uri: 'file:///a', blob: data, mimeType: 'audio/wav' } };
    const capped = await run(overflowStore, { content: [{ type: 'image', data, mimeType: 'image/png' }, small, blob] });
    expect(wordsOf(capped)).toMatch(
      /^\[Left out: image of type "image\/png", 6668 base64 .*\|<resource_link>\|<image>\|\[Left out: resource "file:\/\/\/a".*\|<resource_link>$/,
    );
    for (const uri of linksOf(capped)) expect(await readAll(overflowStore, uri)).toBe('y'.repeat(5_000));
  });

  it('contains no more images than fit together', async () => {
    const image: ContentBlock = { type: 'image', data: Buffer.alloc(1_500).toString('base64'), mimeType: 'image/png' };
    expect(wordsOf(await run(createStore(), { content: [image, image] }))).toMatch(/^<image>\|\[Left out: image/);
  });

  it('contains a shortened resource text, and other blocks as a line', async () => {
    const overflowStore = createStore();
    const resource: ContentBlock = {
      type: 'resource',
      resource: { uri: 'file:///long.md', text: 'z'.repeat(4_000), mimeType: 'text/markdown' },
    };
    const fat: ContentBlock = { type: 'resource_link', uri: 'file:///b', name: 'b', description: 'd'.repeat(4_000) };
    const capped = await run(overflowStore, {
      content: [resource, fat, { type: 'text', text: 'a', _meta: { fat: 'm'.repeat(600) } }],
    });
    const [first = '', second = '', third = ''] = linksOf(capped);
    expect(wordsOf(capped)).toMatch(/^\[resource "file:\/\/\/long.md"\]\nz+\n\[/);
    expect(await readAll(overflowStore, first)).toBe('z'.repeat(4_000));
    expect(JSON.parse(await readAll(overflowStore, second))).toEqual(fat);
    expect(JSON.parse(await readAll(overflowStore, third))).toMatchObject({
      text: 'a',
      _meta: { fat: 'm'.repeat(600) },
    });
  });

  it('stores the blocks together for which there is no room', async () => {
    const overflowStore = createStore();
    const content = Array.from({ length: 50 }, (_, i) => text(`${i}`.repeat(300)));
    const capped = await run(overflowStore, { content });
    const storedCount = capped.content.filter(block => content.includes(block)).length;
    expect(JSON.parse(await readAll(overflowStore, linksOf(capped).at(-1) ?? ''))).toEqual(content.slice(storedCount));
    expect(wordsOf(capped)).toContain(`[${50 - storedCount} further blocks are left out.`);
  });

  it('keeps the beginning of the text, however low the limit is', async () => {
    const overflowStore = createStore();
    const low = { ...limits, maxTotal: 500, maxText: 500 };
    const long = Array.from({ length: 3_000 }, (_, i) => `${i}`).join(' ');
    const truncate = (content: ContentBlock[]) =>
      truncateResult({ content }, { overflow: overflowStore, principal: 'ann', limits: low });
    const one = await truncate([text(long)]);
    expect(wordsOf(one).startsWith(long.slice(0, 300))).toBe(true);
    expect(await readAll(overflowStore, linksOf(one)[0] ?? '')).toBe(long);
    const content = [text(long), text('next')];
    const two = await truncate(content);
    expect(two.content[0]).toEqual(text(long.slice(0, 498)));
    expect(wordsOf(two)).toContain('[The rest of this text, and 1 further block, are left out.');
    expect(JSON.parse(await readAll(overflowStore, linksOf(two)[0] ?? ''))).toEqual(content);
  });

  it('omits structured content that is too large, where no output schema exists', async () => {
    const overflowStore = createStore();
    const structuredContent = { list: 'x'.repeat(1_500) };
    const result = { content: [text('ok')], structuredContent };
    const capped = await run(overflowStore, result);
    expect(capped).not.toHaveProperty('structuredContent');
    expect(capped).not.toHaveProperty('isError');
    expect(JSON.parse(await readAll(overflowStore, linksOf(capped)[0] ?? ''))).toEqual(structuredContent);
    expect(await run(overflowStore, result, true)).toBe(result);
  });

  it('becomes an error where an output schema exists and the content is too large', async () => {
    const overflowStore = createStore();
    const structuredContent = { list: 'x'.repeat(2_500) };
    const capped = await run(overflowStore, { content: [text('ok')], structuredContent }, true);
    expect(capped).toMatchObject({ isError: true });
    expect(capped).not.toHaveProperty('structuredContent');
    expect(wordsOf(capped)).toMatch(
      /^\[The call was carried out, .* do not repeat the call\. Read all of it at tenon-overflow:.*\|ok$/,
    );
    expect(JSON.parse(await readAll(overflowStore, linksOf(capped)[0] ?? ''))).toEqual(structuredContent);
  });

  it('states when the rest could not be stored', async () => {
    const overflow = { put: async () => undefined };
    const capped = await truncateResult(
      { content: [text('x'.repeat(5_000))] },
      { overflow, principal: undefined, limits },
    );
    expect(capped.content).toHaveLength(1);
    expect(wordsOf(capped)).toMatch(/characters are left out here\. It could not be stored\.\]/);
  });

  it('belongs to its own principal', async () => {
    const overflowStore = createStore();
    const [uri = ''] = linksOf(await run(overflowStore, { content: [text('x'.repeat(5_000))] }));
    expect(await overflowStore.read(uri, 'bob')).toBeUndefined();
    expect(await overflowStore.read(uri, undefined)).toBeUndefined();
  });
});

/** Whether no character is torn apart. */
const isComplete = (value: string) =>
  !/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(value);

describe('any result', () => {
  const words = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.integer({ min: 0, max: 9_000 }).map(n => '😀x'.repeat(n)),
    fc.string({ unit: 'binary', minLength: 2_000, maxLength: 7_000 }),
  );
  const data = fc.integer({ min: 0, max: 4_000 }).map(n => Buffer.alloc(n, 7).toString('base64'));
  const meta = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    words.map(value => ({ _meta: { value } })),
  );
  const block = fc.oneof(
    fc.tuple(words, meta).map(([value, more]) => ({ type: 'text', text: value, ...more }) as ContentBlock),
    fc.tuple(data, words).map(([value, mimeType]) => ({ type: 'image', data: value, mimeType }) as ContentBlock),
    words.map(value => ({ type: 'audio', data: value, mimeType: 'audio/wav' }) as ContentBlock),
    fc
      .tuple(words, words)
      .map(([value, uri]) => ({ type: 'resource', resource: { uri, text: value } }) as ContentBlock),
    fc
      .tuple(data, meta)
      .map(([blob, more]) => ({ type: 'resource', resource: { uri: 'a:b', blob }, ...more }) as ContentBlock),
    fc
      .tuple(words, words)
      .map(([uri, description]) => ({ type: 'resource_link', uri, name: 'n', description }) as ContentBlock),
    words.map(value => ({ type: 'hologram', value }) as unknown as ContentBlock),
  );
  const result = fc.record(
    { content: fc.array(block, { maxLength: 12 }), structuredContent: words, _meta: fc.record({ words }) },
    { requiredKeys: ['content'] },
  );

  it('is never longer than the limits and a constant', async () => {
    await fc.assert(
      fc.asyncProperty(result, fc.boolean(), async (given, hasOutputSchema) => {
        const capped = await run(createStore(), given as CallToolResult, hasOutputSchema);
        const { content, structuredContent, ...rest } = capped;
        const size = content.reduce((sum, each) => sum + getBlockSize(each), 0);
        // Three notices may stand beside the blocks: for the last blocks, the structured content, and the rest.
        expect(size).toBeLessThanOrEqual(limits.maxTotal + limits.maxBinary + 3 * NOTICE_SIZE);
        expect(getJsonSize(structuredContent)).toBeLessThanOrEqual(
          hasOutputSchema ? limits.maxWithSchema : limits.maxStructured,
        );
        expect(getJsonSize(rest)).toBeLessThanOrEqual(limits.maxOther + 40);
      }),
      { numRuns: takeRuns(300) },
    );
  });

  it('names all pages of a stored text, whose URIs return the complete text', async () => {
    await fc.assert(
      fc.asyncProperty(words, async value => {
        const overflowStore = createStore();
        const capped = await run(overflowStore, { content: [text(value)] });
        const pages = Number(/in (\d+) pages/.exec(wordsOf(capped))?.[1]);
        if (Number.isNaN(pages)) return;
        const [uri = ''] = wordsOf(capped).match(URIS) ?? [];
        let read = '';
        for (let page = 1; page <= pages; page += 1) {
          const named = uri.replace('page=1', `page=${page}`);
          const [content] = (await overflowStore.read(named, 'ann'))?.contents ?? [];
          expect(content?.uri).toBe(named);
          read += content && 'text' in content ? content.text : '';
        }
        expect(read).toBe(value);
        await expect(overflowStore.read(uri.replace('page=1', `page=${pages + 1}`), 'ann')).rejects.toMatchObject({
          rpcCode: -32602,
        });
      }),
    );
  });

  it('is complete when its parts are joined', async () => {
    await fc.assert(
      fc.asyncProperty(words, async value => {
        const overflowStore = createStore();
        const capped = await run(overflowStore, { content: [text(value)] });
        const [uri] = linksOf(capped);
        expect(uri === undefined ? wordsOf(capped) : await readAll(overflowStore, uri)).toBe(value);
        if (uri === undefined) return;
        const [first] = capped.content;
        const shown = first?.type === 'text' ? first.text : '';
        const [line = '', from = '', to = ''] =
          /\n?\[\d+ of \d+ characters are left out here\. Read all of it [^\]]*\?from=(\d+)&to=(\d+)\.\]\n?/.exec(
            shown,
          ) ?? [];
        const [head, tail] = shown.split(line);
        const middle = (await readAll(overflowStore, uri)).slice(Number(from), Number(to));
        expect(`${head}${middle}${tail}`).toBe(value);
        expect(isComplete(head ?? '') || !isComplete(value)).toBe(true);
      }),
    );
  });
});
