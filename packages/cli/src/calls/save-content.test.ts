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

it('names resources by their URI, and others by their number', async () => {
  const contents = ['note://a/b.md', 'note:', 'note:'].map(uri => ({ uri, text: 'x' }));
  const names = ['b.md', 'note_.txt', 'note_-2.txt'];
  expect(await listNames(saveResources('resources', contents, folder))).toEqual(names);
});
