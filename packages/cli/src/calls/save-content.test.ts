import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { saveContent, saveResources } from './save-content.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tenon-save-'));
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 10 }));

const text = { type: 'text', text: 'see below' } as const;
const createImage = (content: string) =>
  ({ type: 'image', mimeType: 'image/png', data: Buffer.from(content).toString('base64') }) as const;
const listNames = async (saved: ReturnType<typeof saveContent>) => (await saved).map(({ path }) => basename(path));

it('numbers the files of one result from 1, and does not number a single one', async () => {
  expect(await listNames(saveContent('one', 'shot', [text, createImage('a'), text], folder))).toEqual(['shot.png']);
  const several = await saveContent('several', 'shot', [text, createImage('a'), text, createImage('b')], folder);
  expect(several.map(({ path }) => basename(path))).toEqual(['shot-1.png', 'shot-2.png']);
  expect(await readFile(several[1]?.path ?? '', 'utf8')).toBe('b');
});

it.each([
  ['a data: URL', 'data:image/png;base64,iVBORw0KGgo='],
  ['padding in the middle', 'aa==bb'],
])('refuses content that is no base64, in place of saving other bytes: %s', async (_, data) => {
  const refused = { code: 'peer/invalid-result', summary: 'image: the content is not base64' };
  const image = { type: 'image', mimeType: 'image/png', data } as const;
  await expect(saveContent('refused', 'shot', [image], folder)).rejects.toMatchObject(refused);
  await expect(saveResources('refused', [{ uri: 'a:b', blob: data }], folder)).rejects.toMatchObject({
    summary: 'a:b: the content is not base64',
  });
});

it('saves content in both alphabets of base64, and with line breaks', async () => {
  const blobs = ['-_-_', '+/+/', '+/\n+/\n'].map(blob => ({ uri: 'a:b', blob }));
  const saved = await saveResources('alphabets', blobs, folder);
  const contents = await Promise.all(saved.map(({ path }) => readFile(path, 'hex')));
  expect(contents).toEqual(['fbffbf', 'fbffbf', 'fbffbf']);
});

it('names resources by their URI, and others by their number', async () => {
  const contents = ['note://a/b.md', 'note:', 'note:'].map(uri => ({ uri, text: 'x' }));
  const names = ['b.md', 'note_.txt', 'note_-2.txt'];
  expect(await listNames(saveResources('resources', contents, folder))).toEqual(names);
});
