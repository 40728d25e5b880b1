import { describe } from 'vitest';
import { eachFeature } from './each-feature.js';
import { gatewayInFrontOf, gatewayIsThere } from './in-front.js';
import { pairsOf } from './pair.js';

describe.skipIf(!gatewayIsThere)('through the gateway over http', () => {
  for (const pair of pairsOf('http')) eachFeature(pair, gatewayInFrontOf);
});
