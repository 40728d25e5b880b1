import type { ServerState } from '@tenon/host';
import { expect, it } from 'vitest';
import { createGatewayHealth, type ReadyCondition } from './readiness.js';
import type { ReportedServer } from './report-servers.js';

const toState = (name: string, state: ServerState['state']): ServerState => ({
  name,
  state,
  reason: undefined,
  protocolVersion: undefined,
  serverInfo: undefined,
});

function createHealth(condition: ReadyCondition, states: ServerState[], skipped: readonly ReportedServer[] = []) {
  const connects: string[] = [];
  const connectServer = async (name: string) => {
    connects.push(name);
    return toState(name, 'connected');
  };
  const health = createGatewayHealth({ getServers: () => states, connectServer }, condition, () => skipped);
  return { check: health.checks?.servers, getDetails: health.getDetails, connects };
}

it('ignores the servers by default, and counts them', () => {
  const skipped = [{ name: 'c', state: 'skipped' as const }];
  const { check, getDetails, connects } = createHealth(
    'started',
    [toState('a', 'failed'), toState('b', 'failed')],
    skipped,
  );
  expect(check).toBeUndefined();
  expect(getDetails?.()).toEqual({ servers: { failed: 2, skipped: 1 } });
  expect(connects).toEqual([]);
});

it('reports ready with any or all of the servers, and connects to the others again', () => {
  const states = [toState('a', 'connected'), toState('b', 'failed'), toState('c', 'connecting')];
  const any = createHealth('any', states);
  expect([any.check?.(), any.connects]).toEqual([true, ['b']]);
  expect(createHealth('all', states).check?.()).toBe(false);
  expect(createHealth('any', states.slice(1)).check?.()).toBe(false);
  const good = [toState('a', 'connected'), toState('b', 'waiting')];
  expect(createHealth('all', good).check?.()).toBe(true);
  expect(createHealth('all', good, [{ name: 'c', state: 'failed' }]).check?.()).toBe(false);
});

it('counts an idle server as available only after it was connected', async () => {
  const { check } = createHealth('all', [toState('a', 'idle')]);
  expect(check?.()).toBe(false);
  await Promise.resolve();
  expect(check?.()).toBe(true);
});

it('verifies connected servers with each probe, and those that have failed since', () => {
  const states = [toState('a', 'connected'), toState('b', 'idle'), toState('c', 'failed')];
  const { getDetails, connects } = createHealth('started', states);
  expect(getDetails?.()).toEqual({ servers: { connected: 1, idle: 1, failed: 1 } });
  expect(connects).toEqual(['a']);
  states[0] = toState('a', 'failed');
  getDetails?.();
  expect(connects).toEqual(['a', 'a']);
});
