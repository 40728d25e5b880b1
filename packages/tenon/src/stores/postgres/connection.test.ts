import { once } from 'node:events';
import { createServer } from 'node:net';
import { systemClock } from '@tenon/base';
import { Pool } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { createConnection } from './connection.js';

/** A message of the protocol of Postgres: its type, its length and its contents. */
function createMessage(type: string, contents: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + contents.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(contents)]);
}

const AUTHENTICATED = createMessage('R', '\0\0\0\0');
const READY = createMessage('Z', 'I');
const SERVER_ENDS = createMessage('E', 'SFATAL\0C57P02\0Mterminating connection due to unexpected postmaster exit\0\0');

it('survives a server that ends with the same packet that completes the connection', async () => {
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SERVER_ENDS])));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const pool = new Pool({ host: '127.0.0.1', port: typeof address === 'object' ? address?.port : 0, user: 'tenon' });
  pool.on('error', () => {});
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown) => uncaught.push(error);
  process.on('uncaughtExceptionMonitor', onUncaught);
  onTestFinished(async () => {
    process.off('uncaughtExceptionMonitor', onUncaught);
    await pool.end();
    server.close();
  });
  const options = { clock: systemClock, timeout: 5000, server: 'Postgres', transactionPooling: false };
  const { use, hold } = createConnection(pool, options);
  await expect(use(run => run('SELECT 1'))).rejects.toThrow();
  const lost: unknown[] = [];
  const onLost = (error: unknown) => void lost.push(error);
  await expect(hold(() => {}, onLost)).rejects.toThrow('postmaster exit');
  expect(lost).toEqual([]);
  expect(uncaught).toEqual([]);
});
