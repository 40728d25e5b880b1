import type { JsonObject, Values } from '@tenon/base';
import { expectRejection, listNumbers, type StoreCase } from './store-context.js';
import { assertEqual, check } from './test-peer.js';

const listKeys = async (listing: ReturnType<Values['list']>) => (await listing).map(({ key }) => key);

export const valueCases: readonly StoreCase[] = [
  [
    'returns undefined for a key without a value',
    async ({ values }) =>
      assertEqual(
        [(await values.get('a')) ?? null, await values.delete('a'), await values.list('')],
        [null, false, []],
      ),
  ],
  [
    'returns the written value, and counts the writes of each key',
    async ({ values }) => {
      assertEqual(
        [await values.put('a', { n: 1 }), await values.put('a', { n: 2 }), await values.put('b', {})],
        [1, 2, 1],
      );
      assertEqual(await values.get('a'), { key: 'a', value: { n: 2 }, version: 2 });
      assertEqual(await values.list(''), [
        { key: 'a', value: { n: 2 }, version: 2 },
        { key: 'b', value: {}, version: 1 },
      ]);
    },
  ],
  [
    'writes with a version only if that version is current',
    async ({ values }) => {
      const put = async (n: number, version: number) => (await values.put('a', { n }, { version })) ?? 'no';
      assertEqual(
        [await put(1, 1), await put(2, 0), await put(3, 0), await put(4, 2), await put(5, 1), await put(6, 1)],
        ['no', 1, 'no', 'no', 2, 'no'],
      );
      assertEqual(await values.get('a'), { key: 'a', value: { n: 5 }, version: 2 });
    },
  ],
  [
    'deletes a value once, deletes only a given version, and starts again at version 1',
    async ({ values }) => {
      await values.put('a', {});
      await values.put('a', {});
      assertEqual(
        [await values.delete('a', 1), await values.delete('a', 2), await values.delete('a')],
        [false, true, false],
      );
      assertEqual([(await values.get('a')) ?? null, await values.put('a', {}, { version: 0 })], [null, 1]);
      assertEqual([await values.delete('a'), await values.list('')], [true, []]);
    },
  ],
  [
    'lets one of many concurrent writes with a version succeed',
    async ({ values }) => {
      const written = await Promise.all(listNumbers(50).map(n => values.put('a', { n }, { version: 0 })));
      assertEqual(
        written.filter(version => version !== undefined),
        [1],
      );
      assertEqual((await values.get('a'))?.value, { n: written.indexOf(1) });
    },
  ],
  [
    'loses none of many concurrent increments',
    async ({ values }) => {
      await Promise.all(listNumbers(100).map(() => increment(values, 'a')));
      assertEqual(await values.get('a'), { key: 'a', value: { n: 100 }, version: 100 });
    },
  ],
  [
    'applies calls in their order',
    async ({ values }) => {
      const calls = [
        values.put('a', { n: 1 }),
        values.put('a', { n: 2 }),
        values.delete('a'),
        values.put('a', { n: 3 }),
      ];
      const [got] = await Promise.all([values.get('a'), ...calls]);
      assertEqual(got, { key: 'a', value: { n: 3 }, version: 1 });
    },
  ],
  [
    'applies calls in their order while earlier calls are pending',
    async ({ values }) => {
      const calls: Promise<number | undefined>[] = [];
      for (let n = 0; n < 50; n++) {
        calls.push(values.put('a', { n }));
        // Some calls are made in one turn, and others in a later one.
        for (let turns = 0; turns < n % 5; turns++) await undefined;
      }
      assertEqual(
        await Promise.all(calls),
        calls.map((_, n) => n + 1),
      );
    },
  ],
  [
    'deletes a value after its ttl',
    async ({ values, advance }) => {
      await values.put('a', {}, { ttl: 30 });
      await values.put('b', {}, { ttl: 3_600_000 });
      await values.put('a', {}, { ttl: 30 });
      await advance(60);
      assertEqual([(await values.get('a')) ?? null, await listKeys(values.list(''))], [null, ['b']]);
      assertEqual([await values.delete('a'), await values.delete('a', 2)], [false, false]);
      assertEqual(
        [(await values.put('a', {}, { version: 2 })) ?? 'no', await values.put('a', {}, { version: 0 })],
        ['no', 1],
      );
      await values.put('c', {}, { ttl: 0 });
      assertEqual([(await values.get('c')) ?? null, await values.put('c', {})], [null, 1]);
    },
  ],
  [
    'keeps the ttl of a value with `keepTtl`',
    async ({ values, advance }) => {
      await values.put('a', { n: 1 }, { ttl: 3_600_000 });
      await values.put('b', { n: 1 });
      await values.put('c', { n: 1 }, { ttl: 30 });
      for (const key of ['a', 'b', 'c']) await values.put(key, { n: 2 }, { version: 1, keepTtl: true });
      await advance(60);
      assertEqual(await listKeys(values.list('')), ['a', 'b']);
      assertEqual((await values.get('a'))?.value ?? null, { n: 2 });
    },
  ],
  [
    'gives each write its own ttl',
    async ({ values, advance }) => {
      for (const key of ['kept', 'longer', 'kept-still']) await values.put(key, {}, { ttl: 30 });
      await values.put('shorter', {});
      await values.put('shorter', {}, { ttl: 30 });
      await Promise.all([values.put('kept', {}), values.put('longer', {}, { ttl: 3_600_000 })]);
      await values.put('kept-still', {});
      await advance(60);
      assertEqual(await listKeys(values.list('')), ['kept', 'kept-still', 'longer']);
    },
  ],
  [
    'lists keys by prefix, in the order of character codes',
    async ({ values }) => {
      const keys = [
        'a',
        'a ',
        'a!',
        'a%',
        'a/',
        'a/1',
        'a/10',
        'a/2',
        'aA',
        'a_',
        'aa',
        'a~',
        'a~~',
        'B',
        'b',
        '%',
        '_',
        '*',
        "'",
      ];
      for (const key of keys.toReversed()) await values.put(key, {});
      const sorted = keys.toSorted();
      for (const prefix of ['', 'a', 'a/', 'a/1', 'a~', 'A', '%', '_', '*', "'", 'nobody'])
        assertEqual(
          await listKeys(values.list(prefix)),
          sorted.filter(key => key.startsWith(prefix)),
        );
    },
  ],
  [
    'lists page by page, also while listed values are deleted',
    async ({ values }) => {
      const keys = listNumbers(25).map(n => `p/${n}`);
      await Promise.all([...keys, 'o', 'q'].map(key => values.put(key, {})));
      const read: string[] = [];
      for (let after: string | undefined; ; after = read.at(-1)) {
        const page = await listKeys(values.list('p/', { after, limit: 10 }));
        if (page.length === 0) break;
        check(page.length <= 10, `a page has ${page.length}`);
        read.push(...page);
        await values.delete(page.at(-1) ?? '');
      }
      assertEqual(read, keys.toSorted());
      assertEqual(await listKeys(values.list('', { after: 'o~', limit: 2 })), ['p/0', 'p/1']);
      assertEqual(
        [await values.list('o', { after: 'z' }), await listKeys(values.list('q', { after: 'a' }))],
        [[], ['q']],
      );
    },
  ],
  [
    'lists at most 1000 values',
    async ({ values }) => {
      await Promise.all(listNumbers(1002).map(n => values.put(`k${1000 + n}`, {})));
      assertEqual([(await values.list('k')).length, (await values.list('k', { limit: 5000 })).length], [1000, 1000]);
      assertEqual(await listKeys(values.list('k', { after: 'k1999' })), ['k2000', 'k2001']);
    },
  ],
  [
    'stores and returns copies',
    async ({ values }) => {
      const value = { deep: { n: 1 } };
      await values.put('a', value);
      value.deep.n = 2;
      for (const got of [await values.get('a'), (await values.list(''))[0]]) (got?.value.deep as JsonObject).n = 3;
      assertEqual((await values.get('a'))?.value, { deep: { n: 1 } });
    },
  ],
  [
    'stores every JSON value',
    async ({ values }) => {
      const text =
        '{"":null,"__proto__":{"a":[1,-0.5,1e300,true,[[]]]},"\\u0000\\n\\u2028":"\\ud800 😀 é \'\\" $1 ?","n":9007199254740991}';
      await values.put('a', JSON.parse(text) as JsonObject);
      assertEqual((await values.get('a'))?.value, JSON.parse(text));
      await values.put('b', { gone: undefined, date: new (Date as never as new (ms: number) => object)(0) });
      assertEqual((await values.get('b'))?.value, { date: '1970-01-01T00:00:00.000Z' });
    },
  ],
  [
    'rejects an invalid key',
    async ({ values }) => {
      for (const key of ['', 'k'.repeat(513), 'ü', 'a\n', 'a\0', '\x7f', 1 as never]) {
        await expectRejection('store/key', () => values.get(key));
        await expectRejection('store/key', () => values.put(key, {}));
        await expectRejection('store/key', () => values.delete(key));
        if (key !== '') await expectRejection('store/key', () => values.list(key));
        if (key !== '') await expectRejection('store/key', () => values.list('', { after: key }));
      }
      const all = listNumbers(95)
        .map(n => String.fromCharCode(32 + n))
        .join('');
      for (const key of [all, 'k'.repeat(512), ' '])
        assertEqual([await values.put(key, {}), await values.delete(key)], [1, true]);
    },
  ],
  [
    'rejects a value that is not a JSON object',
    async ({ values }) => {
      const ring: JsonObject = {};
      ring.ring = ring;
      for (const value of [undefined, null, 1, 'text', [], ring, { n: 1n }, { toJSON: () => [] }])
        await expectRejection('store/value', () => values.put('a', value as JsonObject));
      assertEqual(await values.list(''), []);
    },
  ],
  [
    'rejects a value that is too large, and keeps the current one',
    async ({ values, maxValueSize }) => {
      const createSized = (size: number) => ({ t: 'x'.repeat(size - '{"t":""}'.length) });
      await values.put('a', createSized(maxValueSize));
      await expectRejection('store/value-too-large', () => values.put('a', createSized(maxValueSize + 1)));
      const got = await values.get('a');
      assertEqual([got?.version, JSON.stringify(got?.value).length], [1, maxValueSize]);
    },
  ],
  [
    'rejects invalid options',
    async ({ values }) => {
      for (const ttl of [Number.NaN, Number.POSITIVE_INFINITY])
        await expectRejection('store/option', () => values.put('a', {}, { ttl }));
      for (const version of [-1, 0.5, Number.NaN]) {
        await expectRejection('store/option', () => values.put('a', {}, { version }));
        await expectRejection('store/option', () => values.delete('a', version));
      }
      for (const limit of [0, -1, 1.5, Number.NaN])
        await expectRejection('store/option', () => values.list('', { limit }));
    },
  ],
];

export const sharedValueCases: readonly StoreCase[] = [
  [
    'shows values to other processes, and after a restart',
    async ({ values, openSecond, durable, close }) => {
      check(durable, '`durable` is to be true of stores that can be opened a second time');
      const other = await openSecond();
      await values.put('a', { n: 1 });
      assertEqual(await other.values.get('a'), { key: 'a', value: { n: 1 }, version: 1 });
      assertEqual([await other.values.put('a', { n: 2 }, { version: 1 }), (await values.get('a'))?.version], [2, 2]);
      await Promise.all([close(), other.close()]);
      assertEqual(await (await openSecond()).values.list(''), [{ key: 'a', value: { n: 2 }, version: 2 }]);
    },
  ],
  [
    'loses no increment of several processes',
    async ({ values, openSecond }) => {
      const all = [values, (await openSecond()).values, (await openSecond()).values];
      await Promise.all(all.flatMap(each => listNumbers(20).map(() => increment(each, 'a'))));
      assertEqual(await values.get('a'), { key: 'a', value: { n: 60 }, version: 60 });
    },
  ],
];

/** Reads the value, adds one, and writes it. Repeats that after a concurrent write. */
async function increment(values: Values, key: string): Promise<void> {
  for (;;) {
    const { value, version } = (await values.get(key)) ?? { value: { n: 0 }, version: 0 };
    if ((await values.put(key, { n: (value.n as number) + 1 }, { version })) !== undefined) return;
  }
}
