import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { app, appOnly } from '@tenon/apps';
import { buildSync } from 'esbuild';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const output = z.object({ year: z.number(), months: z.array(z.object({ name: z.string(), revenue: z.number() })) });
type Sales = z.infer<typeof output>;

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'];
const readSales = (year: number): Sales => ({
  year,
  months: NAMES.map((name, index) => ({ name, revenue: 80 + ((year * 7 + index * 37) % 90) })),
});

/** The page and its script in one file, because the sandbox loads no others. */
const { outputFiles } = buildSync({
  entryPoints: [path('page.ts')],
  bundle: true,
  minify: true,
  format: 'esm',
  write: false,
});
const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
const html = readFileSync(path('page.html'), 'utf8').replace(
  '<!-- script -->',
  () => `<script type="module">${script}</script>`,
);

const chart = app({ uri: 'ui://sales/chart.html', html, prefersBorder: true });

export const server = createServer({
  name: 'sales',
  version: '1.0.0',
  tools: {
    showSales: chart.tool(
      tool({
        description: 'Shows the sales of a year by month',
        input: z.object({ year: z.number().int().min(2000).max(2100) }),
        output,
        run: ({ year }) => readSales(year),
      }),
      // Clients that show no apps get the same numbers as text.
      {
        text: ({ year, months }) =>
          [`Sales of ${year}`, ...months.map(each => `${each.name}: ${each.revenue}`)].join('\n'),
      },
    ),
    readSales: appOnly(
      tool({ input: z.object({ year: z.number().int() }), output, run: ({ year }) => readSales(year) }),
    ),
  },
  resources: { ...chart.resources },
});

export type SalesServer = typeof server;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { url, close } = await serveHttp(server, { port: Number(process.argv[2] ?? 3000) });
  console.log(`npx tenon call ${url} showSales year=2026`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void close().then(() => process.exit(0)));
}
