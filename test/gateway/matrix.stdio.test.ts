import { describe } from 'vitest';
import { takeCover } from '../support/extent.js';
import { eachFeature } from './each-feature.js';
import { gatewayInFrontOf } from './in-front.js';
import { isInCover, pairsOf } from './pair.js';

describe('through the gateway over stdio', () => {
  for (const pair of takeCover(pairsOf('stdio'), isInCover)) eachFeature(pair, gatewayInFrontOf);
});
