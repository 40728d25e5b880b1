import { fileURLToPath } from 'node:url';
import { openapi } from '@tenon/openapi';
import { createServer } from 'tenon';
import { serveHttp } from 'tenon/node';
import { startLibrary } from './api.ts';

const library = await startLibrary('a-key');

/** Serves the operations of `library.json`: two tools, and a template for single books. */
const { name, version, description, tools, resources, report } = await openapi(
  fileURLToPath(new URL('library.json', import.meta.url)),
  { baseUrl: library.url, auth: { key: 'a-key' }, resources: ['getBook'] },
);
const server = createServer({ name, version, description, tools, resources });

for (const { operation, as, name } of report.taken) console.log(`${operation}: ${as} ${name}`);
const { url, close } = await serveHttp(server, { port: Number(process.argv[2] ?? 3000) });
console.log(`npx tenon list ${url}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    library.close();
    void close().then(() => process.exit(0));
  });
