import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  findBadHints,
  findBadSummaries,
  findBadValues,
  findBannedPhrases,
  findErrorSites,
  findLongSentences,
  findUndocumentedCodes,
} from './error-rules.js';
import { readSources } from './source.js';

const sites = ['tenon', 'cli', 'ai', 'apps', 'skills', 'openapi', 'issuer'].flatMap(name =>
  readSources(name)
    .flatMap(findErrorSites)
    .map(site => ({ ...site, place: `${name}/${site.place}` })),
);
const table = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');
const documented = new Set([...table.matchAll(/^\| `([a-z]+\/[a-z-]+)`/gm)].map(([, code = '']) => code));

describe('the texts of errors', () => {
  it('number more than 300', () => expect(sites.length).toBeGreaterThan(300));
  it('contain a clause as summary', () => expect(sites.flatMap(findBadSummaries)).toEqual([]));
  it('contain noun phrases as expected and received', () => expect(sites.flatMap(findBadValues)).toEqual([]));
  it('contain an imperative as hint', () => expect(sites.flatMap(findBadHints)).toEqual([]));
  it('use standard phrases', () => expect(sites.flatMap(findBannedPhrases)).toEqual([]));
  it('use short sentences', () => expect(sites.flatMap(findLongSentences)).toEqual([]));
  it('use documented codes', () => expect(sites.flatMap(site => findUndocumentedCodes(site, documented))).toEqual([]));
});
