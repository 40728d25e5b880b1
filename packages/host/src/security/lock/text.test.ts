import type { TenonError } from '@tenon/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeRuns } from '../../../../../test/support/extent.js';
import type { ServerEntry } from '../../config/server-entry.js';
import { compareAllWithLock } from './compare-with-lock.js';
import { createLock } from './create-lock.js';
import { addTool, entry, notes, remote } from './fixtures/notes.js';
import type { Lock } from './lock.js';
import { parseLockFile } from './parse-lock.js';
import { serializeLock } from './serialize-lock.js';

const text = async () => serializeLock(await createLock([notes], [entry]));
const findError = (lock: string) =>
  parseLockFile(lock).then(
    () => undefined,
    (error: TenonError) => [error.code, error.message],
  );

type LockedText = { readonly about: object };

describe('mcp.lock', () => {
  it('is the same for the same servers, with a line for each definition', async () => {
    const other = { ...notes, server: 'a', tools: notes.tools.toReversed() };
    const entries = [entry, { ...entry, name: 'a' }];
    const one = serializeLock(await createLock([notes, other], entries));
    expect(one).toBe(serializeLock(await createLock([other, notes], entries.toReversed())));
    expect(one.split('\n').filter(line => line.includes('"digest"'))).toHaveLength(12);
    expect(one).toMatch(/^\{\n {2}"lockfileVersion": 1,\n {2}"servers": \{\n {4}"a": \{\n {6}"source": \{"args":/);
    expect(serializeLock({ servers: new Map() })).toBe('{\n  "lockfileVersion": 1,\n  "servers": {}\n}\n');
  });

  it('is readable by its writer, whatever servers send', async () => {
    const word = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'constructor', ''));
    const json = fc
      .dictionary(word, fc.jsonValue({ maxDepth: 3 }))
      .map(value => JSON.parse(JSON.stringify(value)) as object);
    const named = fc.tuple(word, json).map(([name, more]) => ({ ...more, name, uri: name, uriTemplate: name }));
    const all = fc.array(named, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(word, word, all, all, json, async (server, instructions, tools, resources, info) => {
        const offered = { ...notes, server, instructions, tools, resources, templates: resources, info };
        const lock = await createLock([offered as never], [{ ...entry, name: server }]);
        const written = serializeLock(lock);
        expect(written).not.toMatch(/[^\P{C}\n]/u);
        const again = await parseLockFile(written);
        expect(serializeLock(again)).toBe(written);
        const drifts = await compareAllWithLock(again, [{ ...entry, name: server }], [offered as never]);
        expect(drifts.filter(({ kind }) => kind !== 'duplicate')).toEqual([]);
      }),
    );
  });

  it.each([
    [
      '/servers/notes/about/definition',
      (server: LockedText) => ({ ...server, about: { ...server.about, definition: 'x' } }),
    ],
    ['/servers/notes/about', (server: LockedText) => ({ ...server, about: 'x' })],
  ])('is refused where %s is not an object', async (place, change) => {
    const { servers, ...rest } = JSON.parse(await text());
    const [, message = ''] =
      (await findError(JSON.stringify({ ...rest, servers: { notes: change(servers.notes) } }))) ?? [];
    expect(message).toContain(place);
    expect(message).toContain('an object');
  });

  it('escapes invisible characters', async () => {
    const tool = { ...addTool, description: 'a\u202e\u200b\u{e0041}\u00a0\u0007b' };
    const lock = serializeLock(await createLock([{ ...notes, tools: [tool] }], [entry]));
    expect(lock).toContain('a\\u202e\\u200b\\udb40\\udc41\\u00a0\\u0007b');
  });

  it('contains no secrets', async () => {
    const secret = 'hunter22';
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const id = '123e4567-e89b-12d3-a456-426614174000';
    const targets: ServerEntry['target'][] = [
      { command: 'run', args: ['--token', secret, `--api-key=${secret}`, `TOKEN=${secret}`, token, '--keep', 'it'] },
      {
        command: 'run',
        args: [`-H`, `Authorization: Bearer ${secret}`],
        env: { A: secret, NODE_OPTIONS: `--x=${token}` },
      },
      { url: `https://me:${secret}@host/${id}/mcp?key=${secret}&q=1`, headers: { 'X-Key': secret } },
      { url: `https://host/s/${token}/mcp` },
    ];
    const entries = targets.map((target, at) => ({ name: `${at}`, target }));
    const lock = serializeLock(
      await createLock(
        entries.map(({ name }) => ({ ...notes, server: name })),
        entries,
      ),
    );
    for (const each of [secret, token, id]) expect(lock).not.toContain(each);
    for (const each of ['--keep', '"it"', '"A"', '"x-key"', 'q=1']) expect(lock).toContain(each);
  });

  it('shows removed and added servers', async () => {
    const lock = await createLock([notes], [entry]);
    const other = { ...remote, name: 'far' };
    const drifts = await compareAllWithLock(lock, [other], [{ ...notes, server: 'far' }]);
    expect(drifts.map(({ server, kind }) => `${server} ${kind}`)).toEqual([
      'far unknown server',
      'notes removed server',
    ]);
  });

  it('needs the entry of each server', async () => {
    await expect(createLock([notes], [])).rejects.toMatchObject({ code: 'lock/no-entry' });
  });
});

describe('a lock that cannot be read', () => {
  it.each<[string, string, (lock: string) => string, RegExp]>([
    ['no JSON', 'lock/syntax', lock => lock.replace('"about": {', '"about": ['), /line 6, column \d+: invalid JSON/],
    ['a comment', 'lock/syntax', lock => lock.replace('{', '{ // so'), /line 1, column 3: .*InvalidCommentToken/],
    ['a comma too many', 'lock/syntax', lock => lock.replace(/\n\}\n$/, ',\n}\n'), /line \d+/],
    [
      'a name twice',
      'lock/syntax',
      lock => lock.replace(/( +"add": .*\n)/, '$1$1'),
      /line 9, column 9: "add" is a duplicate key/,
    ],
    [
      'a merge',
      'lock/syntax',
      lock => lock.replace('  "servers"', '<<<<<<< HEAD\n  "servers"'),
      /line 3, column 1.*merge/,
    ],
    ['no text', 'lock/syntax', () => '', /line 1/],
    ['too deep', 'lock/syntax', () => '['.repeat(100_000), /invalid JSON/],
    ['another version', 'lock/version', lock => lock.replace(': 1,', ': 2,'), /Expected lockfileVersion 1, got 2/],
    ['an array', 'lock/shape', () => '[]', /at \/. Expected an object, got \[\]/],
    ['no servers', 'lock/shape', () => '{"lockfileVersion":1}', /at \/servers. Expected an object, got nothing/],
    [
      'no tools',
      'lock/shape',
      lock => lock.replace('"tools"', '"tulls"'),
      /at \/servers\/notes\/tools. Expected an object/,
    ],
    [
      'no source',
      'lock/shape',
      lock => lock.replace('["-y"', '[1'),
      /at \/servers\/notes\/source\/args. Expected an array of strings/,
    ],
    [
      'a definition',
      'lock/digest',
      lock => lock.replace('Adds', 'adds'),
      /wrong digest of the definition at \/servers\/notes\/tools\/add/,
    ],
    [
      'a digest',
      'lock/digest',
      lock => lock.replace(/("add": .*sha256-)../, '$1xx'),
      /at \/servers\/notes\/tools\/add/,
    ],
    [
      'what it says of itself',
      'lock/digest',
      lock => lock.replace('Read a note', 'Eat a note'),
      /at \/servers\/notes\/about/,
    ],
  ])('causes an error with reason and place: %s', async (_, code, change, message) => {
    const found = await findError(change(await text()));
    expect(found?.[0]).toBe(code);
    expect(found?.[1]).toMatch(message);
  });

  it('causes an error with the place for any bytes', async () => {
    const fullText = await text();
    const codes = /^lock\/(syntax|shape|digest|version)$/;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(fullText.length - 1),
        fc.constantFrom('', '"', '{', '}', ',', 'x', '0', '\\'),
        async (at, put) => {
          const changed = fullText.slice(0, at) + put + fullText.slice(at + 1);
          const found = await findError(changed);
          if (found) expect(found[0]).toMatch(codes);
          // What stands for something else is found as a drift, or stands for the same.
          else expect(JSON.parse(changed)).toBeTypeOf('object');
        },
      ),
      { numRuns: takeRuns(300) },
    );
  });

  it('is refused beyond the size limits', async () => {
    expect((await findError(' '.repeat(64 * 1024 * 1024 + 1)))?.[0]).toBe('lock/too-large');
    const many: Lock['servers'] = (await createLock([notes], [entry])).servers;
    const server = many.get('notes')!;
    const tools = new Map(Array.from({ length: 10_001 }, (_, i) => [`t${i}`, server.tools.get('add')!]));
    const found = await findError(serializeLock({ servers: new Map([['notes', { ...server, tools }]]) }));
    expect(found).toMatchObject(['lock/shape', expect.stringContaining('at most 10000 definitions')]);
    const offered = { ...notes, tools: Array.from({ length: 10_001 }, (_, i) => ({ ...addTool, name: `t${i}` })) };
    await expect(createLock([offered], [entry])).rejects.toMatchObject({ code: 'lock/too-large' });
  });
});
