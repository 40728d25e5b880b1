import { createHash } from 'node:crypto';
import { createServer, resource, rpcError } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCommand, projectWith, runTenon } from './command.js';
import { hasTerminal, runOnTerminal } from './on-terminal.js';

const PDF = 'skill://pdf-processing/SKILL.md';
const BODY = '---\nname: pdf-processing\ndescription: Fill PDF forms\n---\n\nUse the tool `fill`.\n';
const FORMS = '# Forms\n';
const EXTENSION = 'io.modelcontextprotocol/skills';

const listFile = (uri: string, text: string) => ({
  uri,
  digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  size: Buffer.byteLength(text),
});
const entry = {
  uri: PDF,
  frontmatter: { name: 'pdf-processing', description: 'Fill PDF forms' },
  resources: [listFile(PDF, BODY), listFile('skill://pdf-processing/references/FORMS.md', FORMS)],
};
const generated = {
  uri: 'skill://today/SKILL.md',
  frontmatter: { name: 'today', description: 'Plan of the day' },
  resources: 'dynamic',
};

describe('tenon skills', () => {
  let project: Awaited<ReturnType<typeof projectWith>>;
  let http: Awaited<ReturnType<typeof serveHttp>>;
  const files = new Map<string, string | Uint8Array>();
  const reads: string[] = [];
  let entries: readonly object[] = [];
  beforeAll(async () => {
    await buildCommand();
    project = await projectWith({});
    const server = createServer({
      ...{ name: 'skilled', version: '1.0.0', extensions: [{ id: EXTENSION }] },
      resources: {
        'skill://{+path}': resource({
          name: 'file',
          read({ path }) {
            reads.push(path);
            return files.get(path);
          },
        }),
      },
      methods: {
        'skills/list': { extension: EXTENSION, run: () => ({ skills: entries, ttlMs: 0, cacheScope: 'private' }) },
        'skills/get': {
          extension: EXTENSION,
          run(params) {
            const skill = [entry, generated].find(({ uri }) => uri === Object(params).uri);
            if (!skill) throw rpcError(-32602, 'Unknown skill');
            return { skill, ttlMs: 0, cacheScope: 'private' };
          },
        },
      },
    });
    http = await serveHttp(server, { port: 0 });
  });
  afterAll(() => Promise.all([project.remove(), http.close()]));
  const skills = (action: string, ...args: string[]) => runTenon(project.folder, ['skills', action, http.url, ...args]);
  const reset = () => {
    entries = [entry, { uri: 'skill://x/SKILL.md', frontmatter: { name: 'y', description: '' }, resources: [] }];
    files.clear();
    files.set('pdf-processing/SKILL.md', BODY).set('pdf-processing/references/FORMS.md', FORMS);
    files.set('pdf-processing/other.md', 'unlisted').set('today/SKILL.md', BODY);
    reads.length = 0;
  };

  it('lists skills without reading them, and reports invalid entries [cli.skills]', async () => {
    reset();
    const { code, out, err } = await runTenon(project.folder, ['skills', 'list', http.url]);
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '  pdf-processing   2 files   Fill PDF forms\n',
      err: 'not a valid skill: skill://x/SKILL.md: the URI does not end in /y/SKILL.md\n',
    });
    const json = JSON.parse((await skills('list', '--json')).out);
    expect(json).toMatchObject({ skills: [{ ...entry, name: 'pdf-processing' }], errors: [expect.any(String)] });
    expect(reads).toEqual([]);
  });

  it('reads a file of a skill, by its name and by its URI [cli.skills]', async () => {
    reset();
    const read = await runTenon(project.folder, ['skills', 'read', http.url, 'pdf-processing']);
    expect(read).toEqual({ code: 0, out: BODY, err: '' });
    expect(await skills('read')).toMatchObject({ code: 0, out: BODY });
    expect(await skills('read', 'pdf-processing', 'references/FORMS.md')).toMatchObject({ code: 0, out: FORMS });
    const { code, out } = await skills('read', PDF, '--json');
    expect({ code, out: JSON.parse(out) }).toEqual({
      code: 0,
      out: { skill: 'pdf-processing', uri: PDF, file: 'SKILL.md', verified: true, text: BODY },
    });
    expect(reads).toHaveLength(4);
  });

  it.each([
    ['another digest', BODY.replace('fill', 'kill'), 'does not have the listed digest'],
    ['another size', `${BODY}more`, 'the skill lists'],
  ])('prints nothing of a file with %s', async (_, text, error) => {
    reset();
    files.set('pdf-processing/SKILL.md', text);
    const { code, out, err } = await skills('read', 'pdf-processing');
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(error) });
  });

  it('refuses other fields, unlisted files, and unknown skills', async () => {
    reset();
    expect(await skills('read', generated.uri)).toMatchObject({ code: 1, err: expect.stringContaining('the fields') });
    files.set('today/SKILL.md', '---\nname: today\ndescription: Plan of the day\n---\n');
    expect(await skills('read', generated.uri)).toMatchObject({ code: 0 });
    const unlisted = await skills('read', 'pdf-processing', 'other.md');
    expect(unlisted).toMatchObject({ code: 1, out: '', err: expect.stringContaining('does not list this file') });
    expect(await skills('read', 'pdf-procesing')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean'),
    });
    expect((await skills('read', 'skill://none/SKILL.md')).code).toBe(1);
    expect(reads).not.toContain('pdf-processing/other.md');
  });

  it.runIf(hasTerminal)('prints a line about a binary file on a terminal, in place of its bytes', async () => {
    reset();
    files.set('today/x.bin', new Uint8Array([0xff, ...Buffer.from('\u001b]0;title\u0007')]));
    const { code, shown } = await runOnTerminal(
      project.folder,
      ['skills', 'read', http.url, generated.uri, 'x.bin'],
      [],
    );
    expect(code).toBe(0);
    expect(shown).not.toContain('title');
    expect(shown).toContain(`[${generated.uri} x.bin: 11 bytes: write them into a file with > FILE]`);
  });

  it('sends no method of skills to a server without the extension', async () => {
    const plain = await serveHttp(createServer({ name: 'plain', version: '1.0.0' }), { port: 0 });
    const { code, err } = await runTenon(project.folder, ['skills', 'list', plain.url]);
    await plain.close();
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('offers no skills') });
  });
});
