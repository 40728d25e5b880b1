import { describe, expect, it } from 'vitest';
import { protocolVersions } from '../support/official-schema.js';
import { testFeatures } from './each-feature.js';
import { features, formatFeature } from './features.js';
import { describeImpossible, findImpossible, impossibleRows } from './impossible.js';
import { listPairs, type PairTransport } from './pair.js';
import { startDirect } from './start-gateway.js';

describe('the table of unsupported combinations', () => {
  const names = new Set(features.map(formatFeature));

  it('contains existing features with unique names', () => {
    expect(names.size).toBe(features.length);
    expect(impossibleRows.map(({ feature }) => feature).filter(name => !names.has(name))).toEqual([]);
  });

  it('contains no row without a combination, and none that another hides', () => {
    const used = new Set(listPairs('http').flatMap(pair => [...names].map(name => findImpossible(name, pair))));
    expect(impossibleRows.filter(row => !used.has(row)).map(({ feature }) => feature)).toEqual([]);
  });

  it('states for each row where it holds, and why', () => {
    const rows = impossibleRows.map(describeImpossible);
    expect(new Set(rows).size).toBe(rows.length);
    for (const row of rows) expect(row).toMatch(/^[^|]+: [^|]+ \| (client|server)[^|]+ \| .{20,}$/);
  });

  it('leaves each feature a supported combination', () => {
    const pairs = listPairs('http');
    expect([...names].filter(name => pairs.every(pair => findImpossible(name, pair)))).toEqual([]);
  });
});

/** With nothing between all must be seen already: the probes are right, and the taps read on both sides. */
for (const mode of ['memory', 'http', 'stdio'] satisfies PairTransport[])
  for (const version of protocolVersions)
    testFeatures({ client: version, server: version, mode, direct: true }, startDirect);
