import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Combination, open } from './combination.js';
import { features, formatFeature } from './features.js';
import { findImpossible } from './impossible.js';
import type { Pair } from './pair.js';
import type { StartGateway } from './start-gateway.js';

const together = features.filter(({ alone }) => !alone);
const apart = features.filter(({ alone }) => alone);

/** Tries every feature on one client and one server; at the end nothing may have crossed that a protocol version does not know. */
export function testFeatures(pair: Pair, inFront: StartGateway): void {
  describe(`a client of ${pair.client} and a server of ${pair.server} over ${pair.mode}`, () => {
    let combination: Combination | undefined;
    const createServers = (): Combination => {
      if (combination === undefined) throw new Error('not open');
      return combination;
    };
    beforeAll(async () => {
      combination = await open(pair, inFront);
    });
    afterAll(() => combination?.close());

    for (const feature of [...together, ...apart]) {
      const gap = findImpossible(formatFeature(feature), pair);
      const title = gap ? `${formatFeature(feature)} [impossible: ${gap.reason}]` : formatFeature(feature);
      const test = feature.alone ? it : it.concurrent;
      test(title, async () => {
        expect(await feature.probe(createServers())).toEqual(gap ? gap.instead : feature.seen(pair));
      });
    }

    it('sends only messages of the protocol version on each side', () => {
      const { clientSide, serverSide } = createServers();
      for (const side of [clientSide, serverSide]) {
        expect(side.issues).toEqual([]);
        expect(side.messages('client').length).toBeGreaterThan(features.length);
        expect(side.messages('server').length).toBeGreaterThan(features.length);
      }
    });
  });
}
