import { createServer, resource, tool } from 'tenon';
import { mount } from 'tenon/compose';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

/** A server of its own: it could be served alone, too. */
const weather = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    forecast: tool({ input: z.object({ city: z.string() }), run: ({ city }) => `Sun in ${city}` }),
  },
  resources: {
    'city://{name}': resource({ list: () => [{ name: 'Oslo' }], read: ({ name }) => `${name} has sun.` }),
  },
});

/** Offers `weather_forecast` and `city://weather/{name}` beside its own tool. */
export const server = createServer({
  name: 'assistant',
  version: '1.0.0',
  tools: { hello: tool({ run: () => 'Hello' }) },
  mounts: [mount('weather', weather)],
});

const { url, close } = await serveHttp(server, { port: Number(process.argv[2] ?? 3000) });
console.log(`Serving ${url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().then(() => process.exit(0)));
