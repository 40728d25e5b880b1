import { createServer } from 'tenon';
import { createHost } from 'tenon/host';
import { expect, it, vi } from 'vitest';
import { listen } from './listen.js';

vi.mock('tenon/http', async importOriginal => {
  const original = await importOriginal<typeof import('tenon/http')>();
  const createHandler: typeof original.createHandler = (...args) =>
    Object.assign(original.createHandler(...args), { close: () => Promise.reject(new Error('cannot close')) });
  return { ...original, createHandler };
});

it('reports that a handler cannot be closed after the delay, and has no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => unhandled.push(reason);
  process.on('unhandledRejection', record);
  const server = createServer({ name: 'notes', version: '1.0.0' });
  const host = await createHost({ servers: { notes: { service: server } } });
  const { close } = await listen(host, {
    ...{ port: 0, virtual: { team: ['notes'] }, drain: { delay: 50 } },
    createAuth: () => ({}),
    onError: () => {},
  });
  await expect(close()).rejects.toThrow('cannot close');
  process.off('unhandledRejection', record);
  expect(unhandled).toEqual([]);
  await host.close();
});
