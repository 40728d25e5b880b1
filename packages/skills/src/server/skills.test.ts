import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { connect, createServer, memoryStores, protocolVersions, resource, tasks } from 'tenon';
import { afterEach, describe, expect, it } from 'vitest';
import { skillsExtension, skillsOf } from '../client.js';
import { skills } from '../index.js';

const FORMS =
  '---\nname: pdf-forms\ndescription: Fills PDF forms\nmetadata:\n  author: a\n---\n\nRead references/FORMS.md.\n';
const PICTURE = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0xff]);
const folders: string[] = [];

/** Writes a folder of skills, which is removed after the test. */
function writeFolder(files: Record<string, string | Uint8Array>): string {
  const folder = mkdtempSync(join(tmpdir(), 'skills-'));
  folders.push(folder);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, maxRetries: 10 });
});

const serve = (...options: Parameters<typeof skills>) =>
  createServer({ name: 'skilled', version: '1.0.0', extensions: [skills(...options)] });
const open = (server: ReturnType<typeof serve>) => connect(server, { extensions: [skillsExtension] });
const list = async (...options: Parameters<typeof skills>) => {
  const client = await open(serve(...options));
  try {
    return await skillsOf(client).list();
  } finally {
    await client.close();
  }
};
const expectError = (create: () => unknown, message: string) =>
  expect(create).toThrow(
    expect.objectContaining({ code: 'skill/definition', message: expect.stringContaining(message) }),
  );

describe('skills', () => {
  it.each([
    ['', 'skills(""): the path is empty'],
    [new URL('file:///tmp'), 'skills: invalid source'],
    [new Map([['a/SKILL.md', FORMS]]), 'skills: invalid source'],
    [join(tmpdir(), 'no-such-folder'), 'no-such-folder"): the folder does not exist. Create '],
    [[{ name: 'a', description: 'd', instructions: 'i', files: { '\ud800': 'x' } }], 'skill "a": invalid path'],
  ])('refuses the source %s', (source, message) => expectError(() => skills(source as never), message));

  it.skipIf(process.platform === 'win32')('names the reason why a folder cannot be read', () => {
    const folder = writeFolder({});
    symlinkSync('loop', join(folder, 'loop'));
    expectError(() => skills(join(folder, 'loop')), '/loop: the path cannot be read: ELOOP. Check the path');
  });

  it('counts an emoji of a description as one character', async () => {
    const description = '\u{1f600}'.repeat(1024);
    const definition = { name: 'a', instructions: 'i' };
    expect((await list([{ ...definition, description }])).skills[0]?.description).toBe(description);
    expectError(() => skills([{ ...definition, description: `${description}.` }]), 'longer than 1024 characters');
  });

  it.each([
    ['name: 1', '2: `name` is no text. Write it in quotes'],
    ['name: a\ndescription: 1.5', '3: `description` is no text. Write it in quotes'],
    ['name:', '2: the field `name` is missing'],
  ])('names the type of a field that is no text: %j', (fields, message) =>
    expectError(() => skills(writeFolder({ 'a/SKILL.md': `---\n${fields}\n---\n` })), message),
  );

  it('serves each folder with a SKILL.md, with all of its files [ext-skills.format-agentskills, ext-skills.skillmd-at-root, ext-skills.entry-uri, ext-skills.entry-frontmatter, ext-skills.entry-resources, ext-skills.resources-complete, ext-skills.resources-within, ext-skills.resources-digest, ext-skills.resources-size, ext-skills.nested-completeness, ext-skills.final-segment-name, ext-skills.entry-uri-matches-name]', async () => {
    const folder = writeFolder({
      'acme/pdf-forms/SKILL.md': FORMS,
      'acme/pdf-forms/references/my forms.md': '# Forms\n',
      'acme/pdf-forms/picture.png': PICTURE,
      'acme/pdf-forms/nested/SKILL.md': 'not read as a skill',
      'acme/pdf-forms/.hidden': 'not served',
      'other/readme.md': 'no skill',
    });
    const client = await open(serve(folder));
    const { skills: found, errors } = await skillsOf(client).list();
    expect(errors).toEqual([]);
    expect(found).toHaveLength(1);
    const [skill] = found;
    expect(skill).toMatchObject({
      uri: 'skill://acme/pdf-forms/SKILL.md',
      name: 'pdf-forms',
      frontmatter: { name: 'pdf-forms', description: 'Fills PDF forms', metadata: { author: 'a' } },
    });
    expect(skill?.files?.map(({ uri, size }) => [uri, size])).toEqual(
      expect.arrayContaining([
        ['skill://acme/pdf-forms/SKILL.md', FORMS.length],
        ['skill://acme/pdf-forms/references/my%20forms.md', 8],
        ['skill://acme/pdf-forms/picture.png', 5],
        ['skill://acme/pdf-forms/nested/SKILL.md', 19],
      ]),
    );
    expect(skill?.files).toHaveLength(4);
    if (skill) {
      const picture = await skillsOf(client).read(skill, 'picture.png');
      expect([...picture.bytes]).toEqual([...PICTURE]);
      expect((await skillsOf(client).read(skill, 'references/my%20forms.md')).text).toBe('# Forms\n');
    }
    await client.close();
  });

  it('lists SKILL.md as a resource with the fields of its skill, and reads the others by a template [ext-skills.capability-requires-resources, ext-skills.read-unknown-file]', async () => {
    const client = await open(serve({ 'pdf-forms/SKILL.md': FORMS, 'pdf-forms/a.csv': 'a,b' }));
    const { resources } = await client.call('resources/list');
    expect(resources).toEqual([
      {
        uri: 'skill://pdf-forms/SKILL.md',
        name: 'pdf-forms',
        description: 'Fills PDF forms',
        mimeType: 'text/markdown',
        size: FORMS.length,
      },
    ]);
    const { contents } = await client.readResource('skill://pdf-forms/a.csv');
    expect(contents).toEqual([{ uri: 'skill://pdf-forms/a.csv', mimeType: 'text/csv', text: 'a,b' }]);
    await expect(client.readResource('skill://pdf-forms/b.csv')).rejects.toMatchObject({ rpcCode: -32602 });
    await client.close();
  });

  it('declares the extension on versions that have it, and serves the files as resources on all [ext-skills.extension-id, ext-skills.capability-commits-methods, ext-skills.capability-inline]', async () => {
    for (const version of protocolVersions) {
      const server = createServer({
        name: 'skilled',
        version: '1.0.0',
        protocolVersions: [version],
        extensions: [tasks(), skills({ 'pdf-forms/SKILL.md': FORMS })],
        stores: memoryStores(),
      });
      const client = await connect(server, { extensions: [skillsExtension] });
      const isModern = version >= '2026-07-28';
      expect(client.server.capabilities.extensions?.[skillsExtension.id]).toEqual(
        isModern ? { directoryRead: true } : undefined,
      );
      expect(client.server.capabilities.resources).toBeDefined();
      expect((await client.readResource('skill://pdf-forms/SKILL.md')).contents).toHaveLength(1);
      const call = client.call('skills/list');
      if (isModern) expect((await call).skills).toHaveLength(1);
      else await expect(call).rejects.toMatchObject({ rpcCode: -32601 });
      await client.close();
      server.close();
    }
  });

  it('keeps the resources of a server, also of one whose resources depend on the caller', async () => {
    for (const resources of [
      { 'note://a': resource({ read: () => 'a' }) },
      () => ({ 'note://a': resource({ read: () => 'a' }) }),
    ]) {
      const extensions = [skills({ 'pdf-forms/SKILL.md': FORMS })];
      const server = createServer({ name: 'skilled', version: '1.0.0', resources, extensions });
      const client = await connect(server);
      const uris = (await client.call('resources/list')).resources.map(({ uri }) => uri);
      expect(uris.sort()).toEqual(['note://a', 'skill://pdf-forms/SKILL.md']);
      await client.close();
    }
  });

  it('declares nothing for a folder without skills', async () => {
    const client = await open(serve(writeFolder({ 'readme.md': 'no skill' })));
    expect(client.server.capabilities.extensions?.['io.modelcontextprotocol/skills']).toBeUndefined();
    await expect(client.call('skills/list')).rejects.toMatchObject({ rpcCode: -32601 });
    await client.close();
  });

  it('pages lists of whole entries, with cache hints [ext-skills.list-result, ext-skills.list-paginated]', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const files = Object.fromEntries(names.map(name => [`${name}/SKILL.md`, FORMS.replace('pdf-forms', name)]));
    const cache = { ttlMs: 5000, cacheScope: 'public' } as const;
    const client = await open(serve(files, { pageSize: 2, cache }));
    const first = await client.call('skills/list');
    expect(first).toMatchObject({ resultType: 'complete', ...cache, nextCursor: expect.any(String) });
    expect(first.skills).toHaveLength(2);
    const { skills: all } = await skillsOf(client).list();
    expect(all.map(({ name }) => name)).toEqual(names);
    await expect(client.call('skills/list', { cursor: 'x' })).rejects.toMatchObject({ rpcCode: -32602 });
    await client.close();
  });

  it('gets a skill that it does not list, and refuses unknown ones [ext-skills.get-result, ext-skills.get-unlisted, ext-skills.get-unknown, ext-skills.get-params]', async () => {
    const server = serve([{ name: 'secret', description: 'd', instructions: 'Do it.', listed: false }]);
    const client = await open(server);
    expect((await skillsOf(client).list()).skills).toEqual([]);
    const result = await client.call('skills/get', { uri: 'skill://secret/SKILL.md' });
    expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
    expect(result).not.toHaveProperty('nextCursor');
    const entry = await skillsOf(client).get('skill://secret/SKILL.md');
    expect((await skillsOf(client).read(entry)).text).toContain('Do it.');
    for (const uri of ['skill://other/SKILL.md', 'skill://secret', 7])
      await expect(client.call('skills/get', { uri })).rejects.toMatchObject({ rpcCode: -32602 });
    await client.close();
  });

  it('returns an internal error when a function fails, and reports it [ext-skills.get-internal]', async () => {
    const errors: string[] = [];
    const server = createServer({
      name: 'skilled',
      version: '1.0.0',
      onError: error => errors.push(error.message),
      extensions: [
        skills([
          {
            name: 'broken',
            description: 'd',
            instructions: () => {
              throw new Error('no disk');
            },
          },
        ]),
      ],
    });
    const client = await connect(server);
    await expect(client.readResource('skill://broken/SKILL.md')).rejects.toMatchObject({ rpcCode: -32603 });
    expect(errors).toHaveLength(1);
    await client.close();
  });

  it('describes generated content as dynamic [ext-skills.resources-dynamic]', async () => {
    const definition = { name: 'today', description: 'd', instructions: () => `Now: ${new Date(0).getUTCFullYear()}` };
    const { skills: found } = await list([definition], { prefix: 'acme/plans' });
    expect(found).toMatchObject([{ uri: 'skill://acme/plans/today/SKILL.md', files: undefined }]);
  });

  it('splits the prefix of the skills of a folder into segments', async () => {
    const { skills: found } = await list({ 'pdf-forms/SKILL.md': FORMS }, { prefix: 'acme/billing' });
    expect(found).toMatchObject([{ uri: 'skill://acme/billing/pdf-forms/SKILL.md' }]);
  });

  it('lists every folder, and refuses other URIs [ext-skills.capability-directory-flag, ext-skills.dir-resource, ext-skills.dir-children, ext-skills.dir-result, ext-skills.dir-error, ext-skills.dir-every]', async () => {
    const files = { 'acme/pdf-forms/SKILL.md': FORMS, 'acme/pdf-forms/references/a.md': 'a' };
    const client = await open(serve({ 'x/SKILL.md': FORMS.replace('pdf-forms', 'x'), ...files }));
    const read = async (uri: string) => {
      const { resources, ...rest } = await client.call('resources/directory/read', { uri });
      expect(rest).toEqual(expect.objectContaining({ resultType: 'complete' }));
      return resources;
    };
    expect(await read('skill://acme')).toEqual([
      { uri: 'skill://acme/pdf-forms', name: 'pdf-forms', mimeType: 'inode/directory' },
    ]);
    expect(await read('skill://acme/pdf-forms')).toEqual([
      expect.objectContaining({ uri: 'skill://acme/pdf-forms/SKILL.md', mimeType: 'text/markdown' }),
      { uri: 'skill://acme/pdf-forms/references', name: 'references', mimeType: 'inode/directory' },
    ]);
    expect(await read('skill://acme/pdf-forms/references')).toHaveLength(1);
    for (const uri of ['skill://acme/pdf-forms/SKILL.md', 'skill://none', 'note://a'])
      await expect(client.call('resources/directory/read', { uri })).rejects.toMatchObject({ rpcCode: -32602 });
    const without = await open(serve(files, { directoryRead: false }));
    expect(without.server.capabilities.extensions?.[skillsExtension.id]).toEqual({});
    await expect(without.call('resources/directory/read', { uri: 'skill://acme' })).rejects.toMatchObject({
      rpcCode: -32601,
    });
    await client.close();
    await without.close();
  });

  it.each([
    ['no fields', 'text', 'a/SKILL.md:1: the file does not begin'],
    ['fields without an end', '---\nname: a\n', 'a/SKILL.md:1: no second line'],
    ['invalid YAML', '---\nname: a\ndescription: "b\n---\n', 'a/SKILL.md:'],
    ['a repeated field', '---\nname: a\ndescription: b\nname: a\n---\n', 'a/SKILL.md:4: the fields are not valid YAML'],
    ['an alias', '---\nname: &x a\ndescription: *x\n---\n', 'alias'],
    ['no name', '---\ndescription: b\n---\n', 'a/SKILL.md:1: the field `name` is missing'],
    ['an invalid name', '---\ndescription: b\nname: A--\n---\n', 'a/SKILL.md:3: the name "A--" is not valid'],
    ['a name of another folder', '---\nname: b\ndescription: b\n---\n', 'is not that of the folder'],
    ['no description', '---\nname: a\n---\n', 'the field `description` is missing'],
    ['a long description', `---\nname: a\ndescription: ${'x'.repeat(1025)}\n---\n`, ':3: the description is longer'],
    ['tools in a list', '---\nname: a\ndescription: b\nallowed-tools: [x]\n---\n', 'a/SKILL.md:4: `allowed-tools`'],
    ['a reserved key', '---\nname: a\ndescription: b\nmetadata:\n  io.modelcontextprotocol/x: 1\n---\n', 'reserved'],
    ['a number that JSON does not have', '---\nname: a\ndescription: b\nx: .nan\n---\n', 'JSON does not have'],
  ])(
    'refuses %s, with the line [ext-skills.skillmd-frontmatter, ext-skills.name-rules, ext-skills.metadata-reserved]',
    (_, text, message) => expectError(() => skills({ 'a/SKILL.md': text }), message),
  );

  it('refuses links that leave the folder, paths that do, and large skills [ext-skills.lib-safe-paths]', () => {
    const outside = writeFolder({ 'secret.txt': 'secret' });
    const folder = writeFolder({ 'a/SKILL.md': FORMS.replace('pdf-forms', 'a') });
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'a/link.txt'));
    expectError(() => skills(folder), 'the link leads out of the folder');
    expectError(() => skills(join(folder, 'none')), 'the folder does not exist');
    const skill = { name: 'a', description: 'b', instructions: 'c' };
    for (const path of ['../b', 'x/../../b', '/etc/passwd', 'a\\b', 'SKILL.md'])
      expectError(() => skills([{ ...skill, files: { [path]: 'x' } }]), 'invalid path');
    const many = Object.fromEntries(Array.from({ length: 512 }, (__, index) => [`${index}.md`, '']));
    expectError(() => skills([{ ...skill, files: many }]), 'too large');
    expectError(() => skills([{ ...skill, files: { x: new Uint8Array(16 * 1024 ** 2) } }]), 'too large');
    expectError(() => skills([skill, skill]), 'two skills have the URI');
  });

  it('refuses the file of a skill in another case, unless it is in a skill', async () => {
    for (const name of ['skill.md', 'Skill.md', 'SKILL.MD'])
      expectError(
        () => skills({ [`deep/a/${name}`]: FORMS }),
        `deep/a/${name}: the file has another name than SKILL.md`,
      );
    expect(skills({ 'pdf-forms/SKILL.md': FORMS, 'pdf-forms/docs/skill.md': 'x' }).resources).not.toEqual({});
  });

  it('serves a folder that several links lead to', async () => {
    const folder = writeFolder({ 'shared/a.md': 'a', 'a/SKILL.md': '---\nname: a\ndescription: A\n---\n' });
    for (const name of ['one', 'two', 'three']) symlinkSync(join(folder, 'shared'), join(folder, 'a', name));
    const [skill] = (await list(folder)).skills;
    expect(skill?.files?.map(({ uri }) => uri.replace('skill://a/', '')).sort()).toEqual([
      'SKILL.md',
      'one/a.md',
      'three/a.md',
      'two/a.md',
    ]);
  });

  it.each([0, 1.5, Number.NaN, '10' as never])('refuses the page size %s', pageSize => {
    expect(() => skills([], { pageSize })).toThrow('the options of skills: invalid `pageSize`');
  });

  it.each<[option: string, value: unknown]>([
    ['prefix', 5],
    ['prefix', '../acme'],
    ['prefix', 'acme/./billing'],
    ['directoryRead', 'no'],
    ['cache', 60_000],
    ['cache/ttlMs', { ttlMs: Number.NaN }],
    ['cache/cacheScope', { cacheScope: 'shared' }],
    ['cache/ttl', { ttl: 5 }],
  ])('refuses an invalid option `%s`: %j', (option, value) => {
    const options = Object.fromEntries([[option.replace(/\/.*/, ''), value]]);
    expect(() => skills([], options)).toThrow(
      expect.objectContaining({
        code: 'options/invalid',
        summary: `the object with the options of skills: invalid \`${option}\``,
      }),
    );
  });

  const skill = { name: 'a', description: 'b', instructions: 'c' };

  it.each<[issue: string, definition: object, message: string]>([
    ['a field `name`', { frontmatter: { name: 'other' } }, '`frontmatter` contains the field `name`'],
    ['a field `description`', { frontmatter: { description: 'x' } }, '`frontmatter` contains the field `description`'],
    ['a function as a field', { frontmatter: { license: () => 'MIT' } }, 'got function at /license'],
    ['a number that JSON does not have', { frontmatter: { metadata: { n: Number.NaN } } }, 'got NaN at /metadata/n'],
    ['a name that is no text', { name: 5 }, 'invalid `name`'],
    ['no instructions', { instructions: undefined }, 'invalid `instructions`'],
    ['a file that is no text', { files: { 'a.json': { n: 1 } } }, 'invalid `files/a.json`'],
    ['a description that is no text', { description: 5 }, 'invalid `description`'],
    ['frontmatter that is no object', { frontmatter: 'a: b' }, 'invalid `frontmatter`'],
    ['`listed` as a text', { listed: 'no' }, 'invalid `listed`'],
  ])('refuses a definition with %s', (_, change, message) => {
    expectError(() => skills([{ ...skill, ...change }]), message);
  });

  it('refuses files by path that are no text', () => {
    expectError(() => skills({ 'a/SKILL.md': 5 } as never), 'invalid at a/SKILL.md');
  });

  it('writes a value that occurs twice in `frontmatter` twice', async () => {
    const tools = ['read'];
    const [listed] = (await list([{ ...skill, frontmatter: { first: tools, second: tools } }])).skills;
    expect(listed?.frontmatter).toEqual({ name: 'a', description: 'b', first: tools, second: tools });
  });

  it('reports a function whose result is no content', async () => {
    const errors: unknown[] = [];
    const extensions = [skills([{ ...skill, instructions: (() => 5) as never, files: { x: (() => null) as never } }])];
    const server = createServer({ name: 's', version: '1', extensions, onError: error => errors.push(error) });
    const client = await connect(server);
    for (const path of ['SKILL.md', 'x'])
      await expect(client.readResource(`skill://a/${path}`)).rejects.toMatchObject({ rpcCode: -32603 });
    expect(errors).toMatchObject([
      { code: 'skill/definition', message: expect.stringContaining('`instructions` of skill "a"') },
      { code: 'skill/definition', message: expect.stringContaining('skill://a/x') },
    ]);
    await client.close();
  });

  it('refuses links to an enclosing folder', () => {
    const folder = writeFolder({ 'a/SKILL.md': FORMS.replace('pdf-forms', 'a') });
    symlinkSync(join(folder, 'a'), join(folder, 'a/loop'));
    expectError(() => skills(folder), 'a folder that contains it');
  });

  it('refuses unknown options', () => {
    expect(() => skills({}, { folder: 'x' } as never)).toThrow(expect.objectContaining({ code: 'options/invalid' }));
  });

  it('names files as a bundler does', async () => {
    const { skills: found } = await list({ './skills/a/SKILL.md': FORMS.replace('pdf-forms', 'a') });
    expect(found.map(({ uri }) => uri)).toEqual(['skill://a/SKILL.md']);
  });

  it('reserves the methods of skills for the extension [ext-skills.method-prefix-reserved]', () => {
    for (const method of ['skills/list', 'skills/x', 'resources/directory/read'])
      expect(() => createServer({ name: 'a', version: '1', methods: { [method]: { run: () => ({}) } } })).toThrow(
        expect.objectContaining({ code: 'server/method-taken' }),
      );
  });
});
