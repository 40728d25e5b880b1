import { createServer, resource, tool } from 'tenon';
import { mount, resourcesAsTools, transformTool } from 'tenon/compose';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

const forecast = tool({
  description: 'Tells the weather of a city',
  input: z.object({ city: z.string(), days: z.number().int() }),
  run: ({ city, days }) => `Sun in ${city} for ${days} days`,
});

/** A server of its own: it could be served alone, too. */
const weather = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
    forecast,
  },
  resources: {
    'city://{name}': resource({ list: () => [{ name: 'Oslo' }], read: ({ name }) => `${name} has sun.` }),
  },
});

/** Offers `weather_forecast`, `city://weather/{name}` and `resources_read` beside its own tools. */
export const server = createServer({
  name: 'assistant',
  version: '1.0.0',
  tools: { today: transformTool(forecast, { defaults: { days: 1 }, hide: ['days'] }) },
  mounts: [mount('weather', weather), resourcesAsTools()],
});

const { url, close } = await serveHttp(server, { port: Number(process.argv[2] ?? 3000) });
console.log(`Serving ${url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void close().then(() => process.exit(0)));
