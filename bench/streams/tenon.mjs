// @ts-check
/** Tenon with one resource, which changes when a line comes on standard input. */
import { createServer } from 'tenon';
import { serveHttp } from 'tenon/node';
import { notifyOnLine } from './turns.mjs';

const uri = 'note://1';
const server = createServer({
  name: 'bench',
  version: '1.0.0',
  resources: { [uri]: { name: 'note', subscribe: () => () => {}, read: () => 'text' } },
});
const { url } = await serveHttp(server, { port: 0, limits: { maxShare: 1, maxStreams: 20_000, maxSessions: 20_000 } });
console.log(url);
notifyOnLine(() => server.notifyResourceUpdated(uri));
