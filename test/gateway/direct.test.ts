import { describe, expect, it } from 'vitest';
import { revisions } from '../support/official-schema.js';
import { eachFeature } from './each-feature.js';
import { features, nameOf } from './features.js';
import { described, impossible, impossibleAt } from './impossible.js';
import { nothingInFrontOf } from './in-front.js';
import { pairsOf, type Way } from './pair.js';

describe('the table of what is impossible', () => {
  const names = new Set(features.map(nameOf));

  it('has features that there are, and each feature has a name of its own', () => {
    expect(names.size).toBe(features.length);
    expect(impossible.map(({ feature }) => feature).filter(name => !names.has(name))).toEqual([]);
  });

  it('has no row without a combination, and none that another hides', () => {
    const used = new Set(pairsOf('http').flatMap(pair => [...names].map(name => impossibleAt(name, pair))));
    expect(impossible.filter(row => !used.has(row)).map(({ feature }) => feature)).toEqual([]);
  });

  it('says of each row where it holds, and why', () => {
    const rows = impossible.map(described);
    expect(new Set(rows).size).toBe(rows.length);
    for (const row of rows) expect(row).toMatch(/^[^|]+: [^|]+ \| (client|server)[^|]+ \| .{20,}$/);
  });

  it('leaves each feature some combination in which it crosses', () => {
    const pairs = pairsOf('http');
    expect([...names].filter(name => pairs.every(pair => impossibleAt(name, pair)))).toEqual([]);
  });
});

/** With nothing between all must be seen already: the probes are right, and the taps read on both sides. */
for (const way of ['memory', 'http', 'stdio'] satisfies Way[])
  for (const revision of revisions)
    eachFeature({ client: revision, server: revision, way, direct: true }, nothingInFrontOf);
