import { connect, createServer, resource, rpcError } from 'tenon';
import { describe, expect, it } from 'vitest';
import { skillsExtension, skillsOf } from '../client.js';
import { computeDigest } from '../format/file-content.js';
import { skills } from '../index.js';

const TEXT = '---\nname: forms\ndescription: d\n---\n\nRead.\n';
const URI = 'skill://forms/SKILL.md';

const listFile = (path: string, text: string) => {
  const bytes = new TextEncoder().encode(text);
  return { uri: `skill://forms/${path}`, digest: computeDigest(bytes), size: bytes.length };
};

/** Serves files beside an entry that may describe others. */
async function openServer(files: Record<string, string>, resources: unknown) {
  const reads: string[] = [];
  const errors: string[] = [];
  const entry = { uri: URI, frontmatter: { name: 'forms', description: 'd' }, resources } as never;
  const id = skillsExtension.id;
  const server = createServer({
    name: 'hand-made',
    version: '1.0.0',
    onError: error => errors.push(error.message),
    extensions: [{ id }],
    resources: {
      'skill://{+path}': resource({
        read({ path }) {
          reads.push(path);
          return files[path];
        },
      }),
    },
    methods: {
      'skills/list': { run: () => ({ skills: [entry], ttlMs: 0, cacheScope: 'private' }) },
      'skills/get': {
        run({ uri }) {
          if (uri !== URI && uri !== 'skill://other/SKILL.md') throw rpcError(-32602, 'unknown skill');
          return { skill: entry, ttlMs: 0, cacheScope: 'private' };
        },
      },
    },
  });
  const client = await connect(server, { extensions: [skillsExtension] });
  return { client, reads, errors, all: skillsOf(client) };
}

describe('skillsOf', () => {
  it('lists without reading files, and reads a file only when it is asked to [ext-skills.no-prefetch, ext-skills.no-dns, ext-skills.read-by-resources-read]', async () => {
    const { client, reads, all } = await openServer({ 'forms/SKILL.md': TEXT }, [listFile('SKILL.md', TEXT)]);
    const { skills: found } = await all.list();
    const entry = await all.get(URI);
    expect(reads).toEqual([]);
    expect(found).toEqual([entry]);
    expect(await all.read(entry)).toMatchObject({ uri: URI, text: TEXT, verified: true });
    expect(reads).toEqual(['forms/SKILL.md']);
    await client.close();
  });

  it.each([
    ['another digest', TEXT.replace('Read', 'Rm -'), [listFile('SKILL.md', TEXT)], 'digest'],
    ['another size', `${TEXT}more`, [listFile('SKILL.md', TEXT)], 'the size is'],
    ['other fields', TEXT.replace(': d', ': e'), 'dynamic', 'the fields of the file differ'],
    ['no fields', 'text', 'dynamic', 'does not begin with a line of ---'],
  ])(
    'refuses a file with %s, and reports nothing to the server [ext-skills.verify-digest, ext-skills.verify-size, ext-skills.mismatch-unused, ext-skills.frontmatter-compared, ext-skills.entry-frontmatter-identical, ext-skills.verification-not-wire-error]',
    async (_, text, resources, message) => {
      const { client, all, errors } = await openServer({ 'forms/SKILL.md': text }, resources);
      const entry = await all.get(URI);
      await expect(all.read(entry)).rejects.toMatchObject({
        code: 'skill/invalid',
        message: expect.stringContaining(message),
      });
      expect(errors).toEqual([]);
      await client.close();
    },
  );

  it('examines a file beside its entry, and names each difference in place of throwing [con.skills]', async () => {
    const changed = `${TEXT.replace(': d', ': e')}more`;
    const listed = [listFile('SKILL.md', TEXT), listFile('gone.md', 'x')];
    const { client, all } = await openServer({ 'forms/SKILL.md': changed }, listed);
    const entry = await all.get(URI);
    const { uri: _, ...read } = listFile('SKILL.md', changed);
    expect(await all.examine(entry)).toEqual({
      uri: URI,
      listed: { digest: listed[0]?.digest, size: listed[0]?.size },
      read,
      text: changed,
      issues: [
        expect.stringContaining('the size is'),
        'the content does not have the listed digest',
        'the fields of the file differ from those of the entry',
      ],
    });
    expect(await all.examine(entry, 'gone.md')).toMatchObject({ read: undefined, issues: [expect.any(String)] });
    expect(await all.examine(entry, 'x.md')).toMatchObject({ issues: [expect.stringContaining('does not list')] });
    await client.close();
    await expect(all.examine(entry)).rejects.toMatchObject({ code: expect.not.stringContaining('skill/') });
  });

  it.each([
    ['list.md', 'the skill does not list this file. Expected one of SKILL.md, a.md. Pass the path of a file'],
    ['../x', 'leads out of the folder of the skill. Expected one of SKILL.md, a.md. Pass the path of a file'],
    [5, '`path` of skillsOf().read is invalid. Expected a string, got a number'],
  ])('names the files of a skill for the path %j', async (path, message) => {
    const { client, all } = await openServer({}, [listFile('SKILL.md', TEXT), listFile('a.md', 'a')]);
    const entry = await all.get(URI);
    await expect(all.read(entry, path as string)).rejects.toThrow(message);
    await client.close();
  });

  it('reads a path that begins with ./', async () => {
    const { client, all } = await openServer({ 'forms/a.md': 'a' }, [
      listFile('SKILL.md', TEXT),
      listFile('a.md', 'a'),
    ]);
    expect((await all.read(await all.get(URI), './a.md')).text).toBe('a');
    await client.close();
  });

  it.each([undefined, 5, null])('refuses %j as a URI and as a skill before it sends a request', async value => {
    const { client, all } = await openServer({}, []);
    await expect(all.get(value as never)).rejects.toMatchObject({ code: 'options/invalid' });
    await expect(all.read(value as never)).rejects.toMatchObject({ code: 'options/invalid' });
    await client.close();
  });

  it('reads no path that leads out of a skill, also if its content is generated', async () => {
    const { client, reads, all } = await openServer({ 'other/SKILL.md': TEXT }, 'dynamic');
    const entry = await all.get(URI);
    for (const path of ['../other/SKILL.md', '%2e%2e/other/SKILL.md']) {
      await expect(all.read(entry, path)).rejects.toMatchObject({ code: 'skill/invalid' });
      expect(await all.examine(entry, path)).toMatchObject({ issues: [expect.stringContaining('leads out')] });
    }
    expect(reads).toEqual([]);
    await client.close();
  });

  it.each(['sales figures.csv', 'r\u00e9sum\u00e9/50%.md', 'a#b.md'])(
    'reads %s by its name, and by its path in the URI',
    async name => {
      const definition = { name: 'forms', description: 'd', instructions: 'i', files: { [name]: 'text' } };
      const server = createServer({ name: 's', version: '1', extensions: [skills([definition])] });
      const client = await connect(server, { extensions: [skillsExtension] });
      const all = skillsOf(client);
      const entry = await all.get(URI);
      const path = entry.files?.[1]?.uri.slice('skill://forms/'.length);
      for (const each of [name, path])
        expect(await all.read(entry, each)).toMatchObject({
          uri: `skill://forms/${path}`,
          text: 'text',
          verified: true,
        });
      expect((await all.examine(entry, name)).issues).toEqual([]);
      await expect(all.read(entry, '\ud800')).rejects.toMatchObject({ code: 'skill/invalid' });
      await client.close();
    },
  );

  it('never reads a file that the entry does not list [ext-skills.window-listed-only, ext-skills.unlisted-is-failure]', async () => {
    const { client, reads, all } = await openServer({ 'forms/x.md': 'x' }, [listFile('SKILL.md', TEXT)]);
    const entry = await all.get(URI);
    for (const path of ['x.md', '../other/SKILL.md', 'references', ''])
      await expect(all.read(entry, path)).rejects.toMatchObject({ code: 'skill/invalid' });
    expect(reads).toEqual([]);
    await client.close();
  });

  it('reports invalid entries, and does not use them [ext-skills.entry-invalid-not-loaded]', async () => {
    const { client, all } = await openServer({}, 'other');
    expect(await all.list()).toEqual({ skills: [], errors: [expect.stringContaining('neither a list nor')] });
    await expect(all.get(URI)).rejects.toMatchObject({ code: 'skill/invalid' });
    await client.close();
  });

  it('refuses another skill than the requested one', async () => {
    const { client, all } = await openServer({}, 'dynamic');
    await expect(all.get('skill://other/SKILL.md')).rejects.toMatchObject({ code: 'skill/invalid' });
    await client.close();
  });

  it('sends no method to a server that does not declare it [ext-skills.methods-after-declaration, ext-skills.directory-not-called]', async () => {
    const plain = await connect(createServer({ name: 'plain', version: '1.0.0' }));
    const all = skillsOf(plain);
    expect(all.isSupported).toBe(false);
    for (const call of [all.list(), all.get(URI), all.readDirectory('skill://forms')])
      await expect(call).rejects.toMatchObject({ code: 'skill/unsupported' });
    await plain.close();
    const options = { directoryRead: false };
    const without = createServer({
      name: 'a',
      version: '1',
      extensions: [skills({ 'forms/SKILL.md': TEXT }, options)],
    });
    const client = await connect(without);
    await expect(skillsOf(client).readDirectory('skill://forms')).rejects.toMatchObject({ code: 'skill/unsupported' });
    await client.close();
  });

  it('lists a folder', async () => {
    const server = createServer({
      name: 'a',
      version: '1',
      extensions: [skills({ 'forms/SKILL.md': TEXT, 'forms/references/a.md': 'a' })],
    });
    const client = await connect(server);
    expect(await skillsOf(client).readDirectory('skill://forms')).toEqual([
      { uri: 'skill://forms/SKILL.md', isDirectory: false },
      { uri: 'skill://forms/references', isDirectory: true },
    ]);
    await client.close();
  });

  it('refuses a list that never ends', async () => {
    const call = () => Promise.resolve({ skills: [], nextCursor: 'a' });
    const server = { capabilities: { extensions: { [skillsExtension.id]: {} } }, info: { name: 'endless' } };
    const repeating = skillsOf({ call, server } as never);
    await expect(repeating.list()).rejects.toMatchObject({ code: 'peer/endless-list', peer: 'endless' });
    let page = 0;
    const fresh = skillsOf({ call: async () => ({ skills: [], nextCursor: String(page++) }), server } as never);
    await expect(fresh.list()).rejects.toMatchObject({ code: 'peer/endless-list' });
  });

  it('reports a list that is longer than 10,000 entries, and refuses such a folder', async () => {
    const settings = { directoryRead: true };
    const server = { capabilities: { extensions: { [skillsExtension.id]: settings } }, info: { name: 'long' } };
    const page = Array.from({ length: 10_000 }, (_, index) => ({ uri: `skill://forms/${index}` }));
    const open = (more: object) =>
      skillsOf({ call: async () => ({ skills: [], resources: page, ...more }), server } as never);
    expect(await open({}).readDirectory('skill://forms')).toHaveLength(10_000);
    await expect(open({ nextCursor: 'a' }).readDirectory('skill://forms')).rejects.toThrow(
      'skill://forms: long: resources/directory/read has more than 10000 entries',
    );
    const longPage = open({ resources: Array.from({ length: 300_000 }, () => ({})) });
    expect(await longPage.readDirectory('skill://forms')).toEqual([]);
    const skill = { uri: URI, frontmatter: { name: 'forms', description: 'd' }, resources: 'dynamic' };
    const { skills: listed, errors } = await open({
      skills: Array.from({ length: 10_000 }, (_, index) => ({ ...skill, uri: `skill://${index}/forms/SKILL.md` })),
      nextCursor: 'a',
    }).list();
    expect(listed).toHaveLength(10_000);
    expect(errors).toEqual(['long: skills/list has more than 10000 entries: the others are left out']);
  });

  it('refuses unknown options', async () => {
    const { client, all } = await openServer({}, 'dynamic');
    await expect(all.list({ timeout: 1 } as never)).rejects.toMatchObject({ code: 'options/invalid' });
    await client.close();
  });
});
