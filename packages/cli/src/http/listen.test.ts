import { expect, it } from 'vitest';
import { waitDuring } from './listen.js';

it('keeps the failure of work during a delay for the caller, without an unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', record);
  const closing = Promise.reject(new Error('cannot close'));
  await waitDuring(closing, 50);
  process.off('unhandledRejection', record);
  expect(unhandled).toEqual([]);
  await expect(closing).rejects.toThrow('cannot close');
});
