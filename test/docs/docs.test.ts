import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull, takePart } from '../support/extent.js';
import { anchorsOf, type Page, pages, prose, root } from './pages.js';
import { type Outcome, openWorkshop, runPages, typecheck } from './workshop.js';

const all = pages();
const withCode = all.filter(({ blocks }) => blocks.length > 0);
/** Number of processes that run the code of the pages, one after the other. */
const PARTS = isFull ? 10 : 2;
const withRunningCode = withCode.filter(({ blocks }) => blocks.some(({ runs }) => runs));
/** Each run checks the types of all pages, and runs the code of some. */
const running = takePart(withRunningCode, 0, 8);

describe('the code on the pages', () => {
  const workshop = openWorkshop(withCode);
  afterAll(() => workshop.remove());

  it('exists in a file of its own for each block', () => {
    for (const { blocks, path } of withCode) {
      const files = blocks.map(({ file }) => file);
      expect(new Set(files).size, path).toBe(files.length);
    }
  });

  it('runs for at least nine of ten blocks', () => {
    const blocks = withCode.flatMap(page => page.blocks);
    expect(blocks.filter(({ runs }) => !runs).length / blocks.length).toBeLessThanOrEqual(0.1);
  });

  it('compiles', async () => {
    expect(await typecheck(workshop)).toBe('');
  });

  /** Each process runs some pages: with one for each page, to load the library would take most of the time. */
  const parts = Array.from({ length: PARTS }, (_, part) => running.filter((_, index) => index % PARTS === part));

  describe.each(parts.map(part => [part]))('printed output', part => {
    let outcomes = new Map<Page, Outcome>();
    beforeAll(async () => {
      outcomes = await runPages(workshop, part);
    });

    it.each(part)('matches the page $path', page => {
      const { printed, failure } = outcomes.get(page) as Outcome;
      expect(failure).toBeUndefined();
      for (const { file, prints, runs } of page.blocks) {
        if (runs && prints !== undefined)
          expect(printed.get(file)?.trim(), `${page.path}, ${file}`).toBe(prints.trim());
      }
    });
  });
});

describe.each(all)('$path', ({ path, text }) => {
  it('links to existing pages and headings', () => {
    const links = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const stale = links.filter(link => !/^[a-z]+:/.test(link)).filter(link => !leads(path, link));
    expect(stale).toEqual([]);
  });

  it('names existing files and scripts', () => {
    const named = [...prose(text).matchAll(/`((?:docs|test|examples|packages|bench|scripts)\/[\w./-]+)`/g)].map(
      ([, name = '']) => name,
    );
    const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts);
    const requests = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter(name => !existsSync(join(root, name)))).toEqual([]);
    expect(requests.filter(name => !scripts.includes(name))).toEqual([]);
  });
});

function leads(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : relative(root, join(root, dirname(path), file));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(readFileSync(join(root, target), 'utf8')).has(anchor);
}
