import { describe, expect, it } from 'vitest';
import { sharesOf } from '../../bench/profile/shares.mjs';

describe('shares of the time', () => {
  it('counts by the topmost frame, omits idle samples, and names functions of the library', () => {
    const frame = (id: number, functionName: string, url = '') => ({
      id,
      callFrame: { functionName, url, lineNumber: 6 },
    });
    const nodes = [
      frame(1, '(idle)'),
      frame(2, '(garbage collector)'),
      frame(3, 'writev'),
      frame(4, 'end', 'node:_http_outgoing'),
      frame(5, 'parse', 'file:///w/node_modules/zod/v4/core/parse.js'),
      frame(6, 'dispatch', 'file:///w/packages/tenon/dist/esm/parts/core.js'),
      frame(7, '', 'file:///w/packages/tenon/dist/esm/parts/core.js'),
      frame(8, 'serve', 'file:///w/bench/peers/http/floor.mjs'),
    ];
    const samples = [1, 2, 3, 4, 5, 6, 6, 7, 8];
    const { owners, functions } = sharesOf({ nodes, samples, timeDeltas: samples.map((_, at) => 10 + at) });
    expect(Object.fromEntries(owners)).toEqual({ garbage: 11, system: 12, Node: 13, zod: 14, Tenon: 48, other: 18 });
    expect(Object.fromEntries(functions)).toEqual({ 'dispatch (core.js:7)': 31, 'anonymous (core.js:7)': 17 });
  });

  it('finds nothing in a profile without samples', () => {
    expect(sharesOf({ nodes: [] }).owners.size).toBe(0);
  });
});
