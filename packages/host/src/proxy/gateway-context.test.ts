import { fakeClock } from '@tenon/testing';
import { memoryStores } from 'tenon';
import { expect, it } from 'vitest';
import { audienceNamed } from '../connections/fixtures/stand-in.js';
import { UpstreamRegistry } from '../connections/upstream-registry.js';
import { createGuard } from '../security/guard/create-guard.js';
import { GatewayContext } from './gateway-context.js';

it('drops the catalog of a caller that is unused for ten minutes when another caller comes', () => {
  const clock = fakeClock();
  const reportError = () => {};
  const stores = memoryStores();
  const guard = createGuard({}, { entries: new Map(), hasPrefix: true, stores, clock, reportError });
  const registry = new UpstreamRegistry(new Map(), clock, 100, reportError);
  const gateway = new GatewayContext(registry, guard, { prefix: 'auto', pageSize: 10, budget: undefined });
  const [ada, bob, eve] = ['ada', 'bob', 'eve'].map(name => audienceNamed(name));
  if (!ada || !bob || !eve) throw new Error('no scopes');
  const catalogs = [gateway.getCatalog(ada), gateway.getCatalog(bob)];
  clock.advance(9 * 60_000);
  expect(gateway.getCatalog(ada)).toBe(catalogs[0]);
  clock.advance(60_000);
  gateway.getCatalog(eve);
  expect(gateway.getCatalog(ada)).toBe(catalogs[0]);
  expect(gateway.getCatalog(bob)).not.toBe(catalogs[1]);
});
