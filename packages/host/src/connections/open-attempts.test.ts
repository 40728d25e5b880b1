import { TenonError } from '@tenon/base';
import { fakeClock } from '@tenon/testing';
import { expect, it } from 'vitest';
import { OpenAttempts } from './open-attempts.js';

function createAttempts() {
  const clock = fakeClock();
  const attempts = new OpenAttempts(
    { clock, startTimeout: 30_000 },
    () => new TenonError('host/start-timeout', 'slow'),
  );
  return { clock, attempts };
}

it('ends an attempt without progress after the timeout', () => {
  const { clock, attempts } = createAttempts();
  const signal = attempts.begin();
  clock.advance(29_999);
  expect(signal.aborted).toBe(false);
  clock.advance(1);
  expect(signal.reason).toMatchObject({ code: 'host/start-timeout' });
  expect(clock.timers).toBe(0);
});

it('counts the timeout from the last progress', () => {
  const { clock, attempts } = createAttempts();
  let isWorking = true;
  const signal = attempts.begin();
  attempts.observeProgress(() => isWorking);
  clock.advance(45_000);
  isWorking = false;
  expect(signal.aborted).toBe(false);
  clock.advance(29_999);
  expect(signal.aborted).toBe(false);
  clock.advance(5001);
  expect(signal.aborted).toBe(true);
});

it('ends an attempt that makes progress for ten timeouts', () => {
  const { clock, attempts } = createAttempts();
  const signal = attempts.begin(() => true);
  clock.advance(299_999);
  expect(signal.aborted).toBe(false);
  clock.advance(1);
  expect(signal.aborted).toBe(true);
});

it('ends an attempt although an abandoned one ends meanwhile', async () => {
  const { clock, attempts } = createAttempts();
  let end = (_: Error) => {};
  const abandoned = new Promise<{ close(): Promise<void> }>((_, reject) => {
    end = reject;
  });
  const first = attempts.waitForOpen(attempts.begin(), abandoned);
  const rejected = expect(first).rejects.toMatchObject({ code: 'host/start-timeout' });
  clock.advance(30_000);
  await rejected;
  const second = attempts.begin();
  end(new Error('the process has ended'));
  await new Promise(resolve => setImmediate(resolve));
  clock.advance(30_000);
  expect(second.aborted).toBe(true);
});
