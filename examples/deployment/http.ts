import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { serveHttp } from 'tenon/node';
import { sqliteStores } from 'tenon/sqlite';
import { Fleet } from './fleet.ts';
import { createDeployer } from './server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '3000' },
    folder: { type: 'string', default: '.' },
    minute: { type: 'string', default: '5000' },
  },
});
const fleet = new Fleet(join(values.folder, 'fleet.log'), Number(values.minute));
const stores = sqliteStores(join(values.folder, 'deployments.db'));
const server = createDeployer(fleet, stores);
const { url, close } = await serveHttp(server, { port: Number(values.port) });

console.log(`
  The deployer is served at ${url}

  Deploy            npx tsx examples/deployment/client.ts ${url} shop 1.4.2
  Then              kill -9 ${process.pid}, start this again, and come back with the id that the client has shown:
                    npx tsx examples/deployment/client.ts ${url} --resume ID
`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await close();
    server.close();
    await stores.close();
    process.exit(0);
  });
}
