import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { ConnectionHealth, isUnreachable } from './connection-health.js';

function createHealth() {
  const clock = fakeClock();
  const changes: (string | undefined)[] = [];
  const health: ConnectionHealth = new ConnectionHealth(clock, () => changes.push(health.error?.code));
  return { clock, changes, health };
}
const failWith = (code: string, more: { status?: number; rpcCode?: number; cause?: unknown } = {}) =>
  new TenonError(code, 'failed', more);

it('reports each change once, and none while the same error lasts', () => {
  const { health, changes } = createHealth();
  health.recordResponse();
  for (const code of ['http/unreachable', 'http/unreachable', 'auth/sign-in-required'])
    health.recordFailure(failWith(code));
  health.recordResponse();
  expect(changes).toEqual(['http/unreachable', 'auth/sign-in-required', undefined]);
});

it('counts an error response as a response, and ignores other failures', () => {
  const { health, clock } = createHealth();
  expect(health.age).toBe(Number.POSITIVE_INFINITY);
  health.recordFailure(failWith('http/unreachable'));
  clock.advance(1000);
  for (const code of ['call/timeout', 'call/aborted', 'host/backoff', 'stdio/exited'])
    health.recordFailure(failWith(code));
  expect([health.error?.code, health.age]).toEqual(['http/unreachable', 1000]);
  health.recordFailure(failWith('peer/error', { rpcCode: -32603 }));
  expect([health.error, health.age]).toEqual([undefined, 0]);
  // A proxy responded in place of the server.
  health.recordFailure(failWith('peer/error', { status: 502 }));
  expect(health.error?.status).toBe(502);
});

it.each([
  [failWith('http/unreachable'), true],
  [failWith('call/outcome-unknown', { cause: failWith('http/interrupted') }), true],
  [failWith('peer/error', { status: 502 }), true],
  [failWith('peer/error', { status: 503, rpcCode: -32603 }), false],
  [failWith('peer/error', { status: 500 }), false],
  [failWith('auth/needs-user'), false],
])('isUnreachable classifies an error of a server: %#', (error, expected) => {
  expect(isUnreachable(error)).toBe(expected);
});
