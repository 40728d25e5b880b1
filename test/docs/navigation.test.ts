import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readApiSidebars } from '../../docs/.vitepress/api-sidebar.js';
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

describe('the sidebars of the API', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-sidebar-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('list the names of the group that is read, and link to the other groups and entries', () => {
    const path = join(folder, 'sidebar.json');
    const names = [{ text: 'connect', link: '/reference/api/tenon/functions/connect' }];
    const types = [{ text: 'Handler', link: '/reference/api/tenon/http/type-aliases/Handler' }];
    const http = { text: 'http', link: '/reference/api/tenon/http/', items: [{ text: 'Type Aliases', items: types }] };
    const entry = { text: 'tenon', link: '/reference/api/tenon/', items: [{ text: 'Functions', items: names }, http] };
    writeFileSync(path, JSON.stringify([entry]));
    const sidebars = readApiSidebars(path);
    expect(sidebars['/reference/api/']).toEqual([
      { text: 'tenon', link: '/reference/api/tenon/' },
      { text: 'tenon/http', link: '/reference/api/tenon/http/' },
    ]);
    const all = { text: 'All entries', link: '/reference/api/' };
    const functions = { text: 'Functions', link: '/reference/api/tenon/#functions' };
    const { items: _, ...link } = entry;
    expect(sidebars['/reference/api/tenon/']).toEqual([all, { ...link, items: [functions] }]);
    const open = [{ ...functions, items: names }];
    expect(sidebars['/reference/api/tenon/functions/']).toEqual([all, { ...link, items: open }]);
    expect(sidebars['/reference/api/tenon/http/type-aliases/']?.[1]?.items).toEqual([
      { text: 'Type Aliases', link: '/reference/api/tenon/http/#type-aliases', items: types },
    ]);
  });

  it('are empty before the reference is made', () => {
    expect(readApiSidebars(join(folder, 'absent.json'))).toEqual({});
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
