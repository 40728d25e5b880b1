import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './pages.js';

const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const [, unreleased = ''] = /^## \[Unreleased\]\n([\s\S]*?)^## /m.exec(text) ?? [];

it('begins with the first version', () => {
  const versions = [...text.matchAll(/^## \[([^\]]+)\]/gm)].map(([, version]) => version);
  expect(versions[0]).toBe('Unreleased');
  expect(versions.at(-1)).toBe('0.1.0');
});

it('lists each kind of change since the last version once', () => {
  const kinds = [...unreleased.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind);
  expect(
    kinds.filter(kind => !['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'].includes(kind)),
  ).toEqual([]);
  expect(new Set(kinds).size).toBe(kinds.length);
});

it('lists each change once', () => {
  const changes = text.split('\n').filter(line => line.startsWith('- '));
  expect(changes.filter((change, index) => changes.indexOf(change) !== index)).toEqual([]);
});

it('links to pages that exist', () => {
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = '']) => path);
  expect(links.filter(path => !existsSync(join(root, path)))).toEqual([]);
});
