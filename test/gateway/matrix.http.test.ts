import { describe } from 'vitest';
import { takeCover } from '../support/extent.js';
import { testFeatures } from './each-feature.js';
import { isInCover, listPairs } from './pair.js';
import { startGateway } from './start-gateway.js';

describe('through the gateway over http', () => {
  for (const pair of takeCover(listPairs('http'), isInCover)) testFeatures(pair, startGateway);
});
