import { fileURLToPath } from 'node:url';
import { skills } from '@tenon/skills';
import { createServer } from 'tenon';
import { serveHttp } from 'tenon/node';

/** Serves the folder `skills`. Clients before 2026-07-28 read its files as resources. */
const server = createServer({
  name: 'workshop',
  version: '1.0.0',
  extensions: [skills(fileURLToPath(new URL('skills', import.meta.url)))],
});

const { url, close } = await serveHttp(server, { port: Number(process.argv[2] ?? 3000) });
console.log(`npx tenon skills list ${url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().then(() => process.exit(0)));
