/** Skills in the page of the console: those of the example, and those of a server that describes others than it sends. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { skills } from '@tenon/skills';
import { skillsExtension } from '@tenon/skills/client';
import { createServer, resource, rpcError } from 'tenon';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureBrowser, skipMessage } from '../../scripts/browser.mjs';
import { findAxeFindings } from './axe.js';
import { type OpenedPage, openPage } from './open-page.js';

const { browser: found, errors } = await ensureBrowser();
if (!found) console.log(skipMessage(errors));

const workshop = createServer({
  name: 'workshop',
  version: '1.0.0',
  extensions: [skills(fileURLToPath(new URL('../../examples/skills/skills', import.meta.url)))],
});

const TEXT = '---\nname: forms\ndescription: Fills in forms.\n---\n\nRead the form first.\n';
const list = (uri: string, text: string) => ({
  uri,
  digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  size: Buffer.byteLength(text),
});
const describeSkill = (name: string, resources: unknown) => ({
  uri: `skill://${name}/SKILL.md`,
  frontmatter: { name, description: 'Fills in forms.' },
  resources,
});
const HUGE = 'x'.repeat(17 * 1024 ** 2);
const FILES: Readonly<Record<string, string>> = {
  'forms/SKILL.md': TEXT.replace('Read', 'Send'),
  'forms/huge.md': HUGE,
  'forms/good.md': '<b>Glue</b> <script>document.title="owned"</script>',
};
const entries = [
  describeSkill('forms', [
    list('skill://forms/SKILL.md', TEXT),
    list('skill://forms/gone.md', 'gone'),
    list('skill://forms/huge.md', 'small'),
    list('skill://forms/good.md', FILES['forms/good.md'] ?? ''),
  ]),
  describeSkill('escape', [
    list('skill://escape/SKILL.md', ''),
    { ...list('', ''), uri: 'skill://escape/%2e%2e/forms/x.md' },
  ]),
  describeSkill('giant', [{ ...list('skill://giant/SKILL.md', ''), size: 17 * 1024 ** 2 }]),
];
const tampered = createServer({
  name: 'tampered',
  version: '1.0.0',
  extensions: [{ id: skillsExtension.id }],
  resources: { 'skill://{+path}': resource({ read: ({ path }) => FILES[path] }) },
  methods: {
    'skills/list': { run: () => ({ skills: entries, ttlMs: 0, cacheScope: 'private' }) as never },
    'skills/get': {
      run({ uri }) {
        const skill = entries.find(each => each.uri === uri);
        if (!skill) throw rpcError(-32602, 'unknown skill');
        return { skill, ttlMs: 0, cacheScope: 'private' } as never;
      },
    },
  },
});
const plain = createServer({ name: 'plain', version: '1.0.0' });

describe.skipIf(!found)('skills in the page', () => {
  let console: OpenedPage;
  const forms = `/s/tampered/skills/${encodeURIComponent('skill://forms/SKILL.md')}`;

  beforeAll(async () => {
    if (!found) return;
    const targets = Object.entries({ workshop, tampered, plain }).map(([name, target]) => ({
      name,
      target: { resolved: { target, label: name } },
    }));
    console = await openPage(found, { targets });
  });
  afterEach(() => {
    expect(console.faults.splice(0)).toEqual([]);
  });
  afterAll(() => console?.close());

  it('connects to each server', async () => {
    for (const name of ['workshop', 'tampered', 'plain'])
      await console.opened.waitFor('server', ({ server }) => server.name === name && server.counts !== null);
  });

  const readsOf = (server: string) =>
    console.opened.rows().filter(row => row.server === server && row.method === 'resources/read').length;

  it('lists the skills of a server, and reads a file when it is opened only [con.skills] [con.url]', async () => {
    const { page, show } = console;
    await show('/s/workshop');
    await page.getByRole('link', { name: 'skills' }).click();
    const skill = page.locator('nav.tools li a').first();
    await skill.waitFor();
    expect(readsOf('workshop')).toBe(0);
    await skill.click();
    await page.getByText('equal', { exact: true }).waitFor();
    await page.getByText('verified', { exact: true }).waitFor();
    await expect.poll(() => readsOf('workshop')).toBe(2);
    const files = page.locator('.skill-files li');
    expect(await files.count()).toBeGreaterThan(1);
    expect(await files.getByText('not read').count()).toBe((await files.count()) - 1);
    await files.getByRole('button').last().click();
    await expect.poll(() => page.getByText('verified', { exact: true }).count()).toBe(2);
    await page.reload();
    await page.getByText('equal', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('file')).not.toBeNull();
  });

  it('names a digest that is not equal, a missing file, a huge file, and paths that leave the skill [con.skills]', async () => {
    const { page, show } = console;
    await show('/s/tampered/skills');
    await page.getByText('2 entries not valid').waitFor();
    await page.getByText(/escape.*a file is outside of its folder/).waitFor();
    await page.getByText(/giant.*it is larger than 16 MiB/).waitFor();
    await show(forms);
    await page.getByText('Do not use this file: the content does not have the listed digest').waitFor();
    await page.getByText('not equal', { exact: true }).waitFor();
    const open = (file: string) => page.locator('.skill-files').getByRole('button', { name: file }).click();
    await open('gone.md');
    await page.getByText(/^Do not use this file: .*not found/i).waitFor();
    await page.getByText('no content to compare').waitFor();
    await open('huge.md');
    await page.getByText('Do not use this file: the file is too large').waitFor();
    await page.getByText(/^Only the beginning is shown/).waitFor();
    await show(`${forms}?file=${encodeURIComponent('../escape/SKILL.md')}`);
    await page.getByText(/^Do not use this file: .*the path leads out of the folder/).waitFor();
  });

  it('shows markup in a file as text [con.untrusted]', async () => {
    const { page, show } = console;
    await show(`${forms}?file=good.md`);
    await page.getByText('equal', { exact: true }).waitFor();
    expect(await page.locator('.skill-text').textContent()).toBe(FILES['forms/good.md']);
    expect(await page.title()).not.toBe('owned');
  });

  it('has the tab for servers that declare skills only, and requests none for a token that only reads', async () => {
    const { page, opened, show } = console;
    await show('/s/plain');
    await page.locator('.server-tabs a').first().waitFor();
    expect(await page.locator('.server-tabs').getByText('skills').count()).toBe(0);
    for (const action of ['skills', 'skill-file']) {
      const headers = { 'x-tenon-token': opened.readOnlyToken, 'content-type': 'application/json' };
      const response = await fetch(`${opened.origin}/api/servers/workshop/${action}`, {
        method: 'POST',
        headers,
        body: '{}',
      });
      expect(response.status).toBe(403);
    }
  });

  it.each([
    ['the list', '/s/tampered/skills', '2 entries not valid'],
    ['a skill', forms, 'not equal'],
  ])('has no finding of axe for %s', async (_, address, text) => {
    const { page, show } = console;
    const open = async () => {
      await show(address);
      await page.getByText(text, { exact: true }).waitFor();
    };
    expect(await findAxeFindings(page, open)).toEqual([]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
