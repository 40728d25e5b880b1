import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArguments } from './parse-arguments.js';
import { parsePairs } from './parse-pairs.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-arguments-'));
  await writeFile(join(folder, 'text.md'), 'from a file');
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

const schema = {
  type: 'object',
  properties: {
    a: { type: 'number' },
    s: { type: 'string' },
    url: { type: 'string' },
    maxItems: { type: 'integer' },
    force: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    'x:y': { type: 'string' },
  },
};
const parse = (...words: string[]) => parseArguments(schema, { words, cwd: folder });

describe('arguments of a call', () => {
  it.each<[string[], object]>([
    [['a=1', 's=x'], { a: 1, s: 'x' }],
    [['a:1', 's:x'], { a: 1, s: 'x' }],
    [['a:', '1', 's:', 'b c'], { a: 1, s: 'b c' }],
    [['--a', '1', '--s=x'], { a: 1, s: 'x' }],
    [['--a=-1', 's:="x"'], { a: -1, s: 'x' }],
    [['--max-items', '3'], { maxItems: 3 }],
    [['--max_items=3'], { maxItems: 3 }],
    [['--force', '--a', '1'], { force: true, a: 1 }],
    [['--no-force'], { force: false }],
    [['--force', 'false'], { force: false }],
    [['--tags', 'x', '--tags', 'y'], { tags: ['x', 'y'] }],
    [['url=https://a.example/?x=1'], { url: 'https://a.example/?x=1' }],
    [['url:https://a.example/?x=1'], { url: 'https://a.example/?x=1' }],
    [['s:x=1'], { s: 'x=1' }],
    [['s=x:1'], { s: 'x:1' }],
    [['x:y=1'], { 'x:y': '1' }],
    [['s=@text.md'], { s: 'from a file' }],
    [['--s', '@text.md'], { s: 'from a file' }],
    [['s=@@alice'], { s: '@alice' }],
    [['s:@@scope/name'], { s: '@scope/name' }],
    [['--s', '@@alice'], { s: '@alice' }],
    [['s="@alice"'], { s: '@alice' }],
    [["s='@alice/b'"], { s: '@alice/b' }],
    [['s="quoted"'], { s: '"quoted"' }],
    [['s='], { s: '' }],
  ])('reads %j', async (words, expected) => {
    expect(await parse(...words)).toEqual(expected);
  });

  it.each<[string[], RegExp]>([
    [['https://a.example'], /argument without a name: https:/],
    [['{"a":1}'], /argument without a name/],
    [['-x'], /argument without a name: -x/],
    [['--a'], /no value after --a.*Write --a VALUE, or a=VALUE/],
    [['--timout', '5s'], /unknown argument "timout".*[.?] See the options of the command with --help/],
    [['s=@alice'], /cannot read .*alice: ENOENT.*write s=@@alice for a text that begins with @/],
    [['--a', 'x'], /argument "a": expected number/],
  ])('refuses %j', async (words, message) => {
    await expect(parse(...words)).rejects.toThrow(message);
  });

  it('keeps values of prompts and templates as text', () => {
    expect(parsePairs(['a=@x', 'b:y', '--c', 'z', 'd=@@e'])).toEqual([
      { name: 'a', value: '@x' },
      { name: 'b', value: 'y' },
      { name: 'c', value: 'z' },
      { name: 'd', value: '@e' },
    ]);
  });
});
