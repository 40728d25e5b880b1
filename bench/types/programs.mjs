// @ts-check
/** The programs whose compilation is measured: the same tools, offered by each library. */

/** @typedef {keyof typeof kinds} Kind */

/** What each program is, in the words of the report. */
export const kinds = /** @type {const} */ ({
  zod: 'the schemas alone',
  typed: 'functions typed by the schemas, by `z.output` and `z.input`: no library at all',
  tenon: 'Tenon, a server',
  tenonClient: 'Tenon, a server and a typed client that calls each tool',
  official: 'official v2, a server, what tools return checked by a type that is written out',
  officialUnchecked: 'official v2, a server, what tools return unchecked',
});

const UNITS = ['metric', 'imperial', 'scientific'];

/** @param {number} n */
const input = n => `z.object({
      city: z.string().describe('Where, as people call it'),
      days: z.number().int().default(${n + 1}),
      unit: z.enum(${JSON.stringify(UNITS)}).optional(),
      at: z.object({ latitude: z.number(), longitude: z.number() }).optional(),
      tags${n}: z.array(z.string()),
    })`;

/** @param {number} n */
const output = n => `z.object({
      degrees${n}: z.number(),
      summary: z.string(),
      hours: z.array(z.object({ hour: z.number(), degrees: z.number() })),
    })`;

/** @param {number} n */
const value = n =>
  `{ degrees${n}: days + tags${n}.length + (at?.latitude ?? 0), summary: city + (unit ?? ''), hours: [{ hour: 1, degrees: days }] }`;

/** @param {number} n */
const taken = n => `{ city, days, unit, at, tags${n} }`;

/** @param {number} count @param {(n: number) => string} each */
const repeat = (count, each) => Array.from({ length: count }, (_, n) => each(n)).join('\n');

/** @param {number} n */
const tenonTool = n => `    forecast${n}: tool({
      description: 'The weather in days to come, number ${n}',
      input: ${input(n)},
      output: ${output(n)},
      run: (${taken(n)}) => (${value(n)}),
    }),`;

/** @param {number} n */
const typedFunction = n => `const input${n} = ${input(n)};
const output${n} = ${output(n)};
export const forecast${n} = (${taken(n)}: z.output<typeof input${n}>): z.input<typeof output${n}> => (${value(n)});`;

/** `registerTool` does not check what a handler returns against its output: for that it is written out. */
const officialTool = (/** @type {boolean} */ checked) => (/** @type {number} */ n) =>
  `const output${n} = ${output(n)};
server.registerTool(
  'forecast${n}',
  {
    description: 'The weather in days to come, number ${n}',
    inputSchema: ${input(n)},
    outputSchema: output${n},
  },
  (${taken(n)}) => {
    const structuredContent${checked ? `: z.input<typeof output${n}>` : ''} = ${value(n)};
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  },
);`;

/** @param {number} count */
const tenonServer = count => `import { connect, createServer, tool } from 'tenon';
import { z } from 'zod';

export const server = createServer({
  name: 'weather',
  version: '1.0.0',
  tools: {
${repeat(count, tenonTool)}
  },
});
`;

/** @param {number} n */
const clientCall = n =>
  `export const degrees${n}: number = (await client.tools.forecast${n}({ city: 'Oslo', tags${n}: [] })).degrees${n};`;

/** @param {number} count @param {boolean} checked */
const officialServer = (count, checked) => `import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

export const server = new McpServer({ name: 'weather', version: '1.0.0' });
${repeat(count, officialTool(checked))}
`;

/** @type {Record<Kind, (count: number) => string>} */
const sources = {
  zod: count => `import { z } from 'zod';

${repeat(count, n => `export const input${n} = ${input(n)};\nexport const output${n} = ${output(n)};`)}
`,
  typed: count => `import { z } from 'zod';

${repeat(count, typedFunction)}
`,
  tenon: tenonServer,
  tenonClient: count => `${tenonServer(count)}
const client = await connect(server);
${repeat(count, clientCall)}
`,
  official: count => officialServer(count, true),
  officialUnchecked: count => officialServer(count, false),
};

/**
 * The source of a program.
 * @param {Kind} kind
 * @param {number} count how many tools
 */
export const programOf = (kind, count) => sources[kind](count);
