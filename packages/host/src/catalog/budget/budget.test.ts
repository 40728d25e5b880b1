import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureCpuTime } from '../../../../../test/support/cpu-time.js';
import type { Tool } from '../../../../tenon/src/protocol/content.js';
import { type CatalogEntry, createCatalogSearch, MAX_RESULTS } from './catalog-search.js';
import { chooseMetaToolNames, collapseTools, createMetaTools } from './collapse-tools.js';
import {
  createDescribeResult,
  createSearchResult,
  MAX_DESCRIBED,
  parseCallArguments,
  parseDescribeArguments,
  parseSearchArguments,
} from './meta-tool-arguments.js';
import { countToolTokens, createTokenReport, estimateTokens } from './token-report.js';

const tool = (name: string, description = '', properties: object = {}): Tool => {
  return { name, description, inputSchema: { type: 'object', properties } };
};

describe('the report of tokens', () => {
  it('counts every definition, by server and tool, in the order given', () => {
    const offered = [
      { server: 'b', tools: [tool('two'), tool('one', 'x'.repeat(400))] },
      { server: 'a', tools: [] },
    ];
    const report = createTokenReport(offered);
    expect(report.servers.map(({ server, tools }) => [server, tools.map(({ name }) => name)])).toEqual([
      ['b', ['two', 'one']],
      ['a', []],
    ]);
    expect(report.total).toBe(countToolTokens(tool('two')) + countToolTokens(tool('one', 'x'.repeat(400))));
    expect(report.servers[0]?.total).toBe(report.total);
    expect(report.servers[0]?.tools[1]?.tokens).toBeGreaterThan(100);
  });

  it('counts with a given counter, under the offered names', () => {
    const texts: string[] = [];
    const countTokens = (text: string) => texts.push(text) * 10;
    const report = createTokenReport([{ server: 's', tools: [tool('t', 'd')] }], {
      countTokens,
      name: (server, own) => `${server}__${own}`,
    });
    expect(report).toEqual({ total: 10, servers: [{ server: 's', total: 10, tools: [{ name: 't', tokens: 10 }] }] });
    expect(JSON.parse(texts[0]!)).toEqual({
      name: 's__t',
      description: 'd',
      inputSchema: { type: 'object', properties: {} },
    });
  });

  it('estimates by characters', () => {
    expect([
      estimateTokens(''),
      estimateTokens('abcd'),
      estimateTokens('abcde'),
      estimateTokens('приве'),
      estimateTokens('搜索'),
    ]).toEqual([0, 1, 2, 3, 2]);
  });
});

const CATALOG: readonly CatalogEntry[] = [
  {
    name: 'github__create_issue',
    server: 'github',
    tool: tool('create_issue', 'Opens an issue in a repository.', { title: {}, labels: {} }),
  },
  { name: 'github__listIssues', server: 'github', tool: tool('listIssues', 'Lists issues of a repository.') },
  { name: 'github__merge', server: 'github', tool: tool('merge', 'Merges a pull request.') },
  {
    name: 'mail__send',
    server: 'mail',
    tool: tool('send', 'Sends a message. An issue may be mentioned.', { recipientAddress: {} }),
  },
  { name: 'docs__search', server: 'docs', tool: tool('search', '在数据库中搜索文档') },
];
const names = (query: string, limit?: number) => {
  return createCatalogSearch(CATALOG)
    .search(query, limit === undefined ? {} : { limit })
    .map(({ name }) => name);
};

describe('the search for tools', () => {
  it('ranks names over descriptions, and rare words over frequent ones', () => {
    expect(names('create an issue')[0]).toBe('github__create_issue');
    expect(names('issues').indexOf('mail__send')).toBe(2);
    expect(names('merge pull request')[0]).toBe('github__merge');
  });

  it('reads camel case, properties, servers, beginnings of words and text without spaces', () => {
    expect(names('list')).toEqual(['github__listIssues']);
    expect(names('address')).toEqual(['mail__send']);
    expect(names('github').sort()).toEqual(['github__create_issue', 'github__listIssues', 'github__merge']);
    expect(names('repo')).toHaveLength(2);
    expect(names('文档')).toEqual(['docs__search']);
    expect(names('zeppelin')).toEqual([]);
  });

  it('finds words of other scripts, and words with and without accents', () => {
    const texts = [
      'Ändert die Größe',
      'Busca la dirección',
      '파일을 삭제합니다',
      'ลบไฟล์',
      'PDF文件を削除',
      'हिन्दी अनुवाद',
    ];
    const entries = texts.map(text => ({ name: text, server: 's', tool: tool('t', text) }));
    const search = createCatalogSearch(entries);
    const find = (query: string) => search.search(query).map(({ name }) => texts.indexOf(name));
    expect(['größe', 'grosse', 'groesse', 'GRÖSSE', 'aendert'].map(find)).toEqual(Array(5).fill([0]));
    expect(['direccion', 'Dirección'].map(find)).toEqual([[1], [1]]);
    expect(['삭제', '삭', '파일'].map(find)).toEqual([[2], [2], [2]]);
    expect(['ลบ', 'ไฟล์'].map(find)).toEqual([[3], [3]]);
    expect(['文件', '文', 'pdf', '削除'].map(find)).toEqual(Array(4).fill([4]));
    expect(find('अनुवाद')).toEqual([5]);
  });

  it('returns a tool first when the query is its name', () => {
    expect(names('github__listIssues')[0]).toBe('github__listIssues');
  });

  it('limits its results, and sorts by name without words', () => {
    const many = Array.from({ length: 200 }, (_, i) => ({
      name: `t${String(i).padStart(3, '0')}`,
      server: 's',
      tool: tool('same'),
    }));
    const search = createCatalogSearch(many.toReversed());
    expect(search.search('same', { limit: 3 }).map(({ name }) => name)).toEqual(['t000', 't001', 't002']);
    expect(search.search('same', { limit: 10_000 })).toHaveLength(MAX_RESULTS);
    expect(search.search('', { limit: 2 }).map(({ name }) => name)).toEqual(['t000', 't001']);
    expect(search.search('same', { limit: Number.NaN })).toHaveLength(1);
  });

  it('returns the same for tools in any order', () => {
    const word = fc.constantFrom('read', 'write', 'file', 'issue', 'mail', 'list', 'the');
    const entry = fc.record({ name: fc.string(), text: fc.array(word, { maxLength: 4 }) });
    const entries = fc.uniqueArray(entry, { maxLength: 8, selector: ({ name }) => name });
    const orders = entries.chain(list =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(orders, fc.array(word, { maxLength: 3 }), ([one, other], query) => {
        const [first, second] = [one, other].map(list => {
          const tools = list.map(({ name, text }) => ({ name, server: 's', tool: tool('t', text.join(' ')) }));
          return createCatalogSearch(tools).search(query.join(' '));
        });
        expect(second).toEqual(first);
      }),
    );
  });

  it('ignores frequent words of queries, unless there are no others', () => {
    const search = createCatalogSearch([
      { name: 'a', server: 's', tool: tool('who_am_i', 'Returns the user.') },
      {
        name: 'b',
        server: 's',
        tool: tool('weather', 'What it is for: the forecast, with all that you need to know.'),
      },
      { name: 'c', server: 's', tool: tool('stations', 'Lists places.') },
    ]);
    expect(search.search('what is the list of stations that I need').map(({ name }) => name)).toEqual(['c']);
    expect(search.search('who am I?')[0]?.name).toBe('a');
  });

  it('finds related words, ranked below the words themselves', () => {
    const search = createCatalogSearch([
      { name: 'write', server: 's', tool: tool('write_file', 'Replaces the content of a file.') },
      { name: 'save', server: 's', tool: tool('save_draft') },
      { name: 'count', server: 's', tool: tool('count', 'Counts words.') },
    ]);
    expect(search.search('save').map(({ name }) => name)).toEqual(['save', 'write']);
    expect(search.search('store').map(({ name }) => name)).toEqual(['save', 'write']);
  });

  it('searches the texts about the server, with less weight than those about the tool', () => {
    const search = createCatalogSearch([
      { name: 'click', server: 'x', tool: tool('click'), serverText: 'Controls a browser, for shopping for example.' },
      { name: 'shop', server: 'y', tool: tool('shopping') },
    ]);
    expect(search.search('shopping').map(({ name }) => name)).toEqual(['shop', 'click']);
  });

  it('reads a limited part of a description, and ranks long ones lower', () => {
    const words = Array.from({ length: 5_000 }, (_, i) => `w${i}`).join(' ');
    const search = createCatalogSearch([
      { name: 'long', server: 's', tool: tool('a', `issue ${words}`) },
      { name: 'short', server: 's', tool: tool('b', 'issue') },
    ]);
    expect(search.search('issue').map(({ name }) => name)).toEqual(['short', 'long']);
    expect(search.search('w10')[0]?.name).toBe('long');
    expect(search.search('w900')).toEqual([]);
  });

  it('finds one of ten thousand tools quickly', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({
      name: `t${i}`,
      server: `s${i % 200}`,
      tool: tool(`tool_${i}`, `Does number ${i} of things.`),
    }));
    const search = createCatalogSearch(many);
    const time = await measureCpuTime(() => expect(search.search('tool 4711')[0]?.name).toBe('t4711'));
    expect(time).toBeLessThan(1_000);
  });
});

describe('the list within a budget', () => {
  const tools = Array.from({ length: 50 }, (_, i) => tool(`t${i}`, 'x'.repeat(100)));

  it('stays unchanged while it fits', () => {
    expect(collapseTools(tools, { budget: 1e6 })).toMatchObject({ tools, hidden: [], meta: undefined });
  });

  it('becomes three tools and the pinned ones', () => {
    const { tools: offered, hidden, meta, tokenCounts } = collapseTools(tools, { budget: 500, pinned: ['t3'] });
    expect(offered.map(({ name }) => name)).toEqual(['t3', 'search_tools', 'describe_tools', 'call_tool']);
    expect(hidden).toHaveLength(49);
    expect(meta).toMatchObject({ search: 'search_tools', describe: 'describe_tools', call: 'call_tool' });
    expect(tokenCounts.offered).toBeLessThan(500);
    expect(tokenCounts.all).toBeGreaterThan(1_000);
  });

  it('stays unchanged when all tools are pinned', () => {
    expect(collapseTools(tools, { budget: 1, pinned: tools.map(({ name }) => name) }).tools).toEqual(tools);
  });

  it('uses names that no tool has', () => {
    expect(chooseMetaToolNames(['call_tool', 'call_tool_2', 'run_program', 'x'])).toEqual({
      search: 'search_tools',
      describe: 'describe_tools',
      call: 'call_tool_3',
      run: 'run_program_2',
    });
  });

  it('contains names and plain schemas that model providers accept', () => {
    const ajv = new Ajv2020({ strict: false });
    for (const { name, inputSchema } of createMetaTools(chooseMetaToolNames([]), 5)) {
      expect(name).toMatch(/^[a-z_]{1,64}$/);
      expect(ajv.validateSchema(inputSchema)).toBe(true);
      expect(Object.keys(inputSchema.properties as object)).not.toEqual([]);
      expect(JSON.stringify(inputSchema)).not.toMatch(/"(\$ref|anyOf|oneOf|allOf|not|const|format|prefixItems)"/);
    }
  });
});

describe('the arguments of the meta tools', () => {
  it('contain a name and its arguments for a call', () => {
    expect(parseCallArguments({ name: 'x', arguments: { a: 1 } })).toEqual({ name: 'x', arguments: { a: 1 } });
    expect(parseCallArguments({ name: 'x' })).toEqual({ name: 'x', arguments: {} });
    expect(parseCallArguments({ name: 'x', arguments: '{"a":1}' })).toEqual({ name: 'x', arguments: { a: 1 } });
    for (const bad of [
      undefined,
      {},
      { name: 5 },
      { name: '' },
      { name: 'x', arguments: [] },
      { name: 'x', arguments: 'x' },
      { name: 'x', a: 1 },
    ]) {
      expect(parseCallArguments(bad)).toEqual({ issue: expect.any(String) });
    }
  });

  it('contain words and a limit for a search', () => {
    expect(parseSearchArguments({ query: 'x' })).toEqual({ query: 'x', limit: 8 });
    expect(parseSearchArguments({ query: 'x', limit: 999 })).toEqual({ query: 'x', limit: MAX_RESULTS });
    for (const bad of [undefined, {}, { query: 1 }, { query: 'x', limit: 0 }, { query: 'x', limit: 'many' }]) {
      expect(parseSearchArguments(bad)).toEqual({ issue: expect.any(String) });
    }
  });

  it('contain names for a description', () => {
    expect(parseDescribeArguments({ names: ['a', 'b', 'a'] })).toEqual({ names: ['a', 'b'] });
    expect(parseDescribeArguments({ names: 'a' })).toEqual({ names: ['a'] });
    for (const bad of [null, {}, { names: [] }, { names: [1] }, { names: Array(MAX_DESCRIBED + 1).fill('x') }]) {
      expect(parseDescribeArguments(bad)).toEqual({ issue: expect.any(String) });
    }
  });

  it('get results that are sufficient to choose and to call', () => {
    const found = createCatalogSearch([
      { name: 's__a', server: 's', tool: tool('a', 'y'.repeat(1_000), { p: {} }) },
    ]).search('a');
    expect(createSearchResult(found)).toEqual({
      tools: [{ name: 's__a', server: 's', description: `${'y'.repeat(299)}…` }],
    });
    const described = tool('a', 'd', { p: {} });
    expect(createDescribeResult([described], ['b'])).toEqual({ tools: [described], unknown: ['b'] });
    expect(createDescribeResult([])).toEqual({ tools: [] });
  });
});
