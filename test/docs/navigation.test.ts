import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { sections } from '../../docs/.vitepress/navigation.js';
import { pages, root } from './pages.js';

const HOME = 'index';
const GENERATED = 'reference/api/index';

describe('the sidebar of the documentation', () => {
  const listed = Object.values(sections).flatMap(section => Object.values(section));
  const written = pages()
    .map(({ path }) => /^docs\/(.*)\.md$/.exec(path)?.[1] ?? HOME)
    .filter(path => path !== HOME);

  it('lists every page once', () => {
    expect([...listed].sort()).toEqual([...written, GENERATED].sort());
  });
});

describe('the first page of the documentation', () => {
  it('has titles, texts and links in its front matter', () => {
    const text = readFileSync(join(root, 'docs/index.md'), 'utf8');
    const { features } = parse(/^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '');
    expect(features.length).toBeGreaterThan(3);
    for (const feature of features) expect(Object.keys(feature)).toEqual(['title', 'details', 'link']);
  });
});

describe('the head of each page', () => {
  it('names files that exist', () => {
    const config = readFileSync(join(root, 'docs/.vitepress/config.ts'), 'utf8');
    const files = [...config.matchAll(/\/([\w-]+\.(?:svg|png))\b/g)].map(([, name = '']) => name);
    expect(new Set(files)).toEqual(new Set(['icon.svg', 'card.png']));
    expect(files.filter(name => !existsSync(join(root, 'docs/public', name)))).toEqual([]);
  });
});

describe('the packages of the documentation', () => {
  it('appear on the page of the dependencies', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'docs/package.json'), 'utf8'));
    const text = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
    expect(Object.keys(devDependencies).filter(name => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
