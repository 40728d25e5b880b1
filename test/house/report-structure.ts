/**
 * Prints the shape of each package beside figures of well-known codebases, and the way of a call through the files:
 * `npm run structure`. Nothing fails because of these figures. `npm run structure -- --draw SEED` draws 15 tests and 15 files
 * instead, for a reader who judges whether the tests read as a specification and whether a path predicts the content.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listPackages, readSources, readTestSources } from './source.js';
import { findFunctionsWithOneReference, measureStructure, type Percentiles } from './structure.js';
import { drawSample, listTestTitles } from './test-titles.js';
import { runTraced } from './trace-functions.js';

const {
  values: { draw },
  positionals: [walk],
} = parseArgs({ options: { draw: { type: 'string' } }, allowPositionals: true });
if (draw !== undefined) {
  const seed = Number(draw);
  if (!Number.isSafeInteger(seed)) throw new Error(`--draw: invalid seed. Expected an integer, got ${draw}.`);
  const tests = readTestSources().flatMap(source =>
    listTestTitles(source)
      .filter(({ kind }) => kind === 'test')
      .map(({ groups, text, line }) => `${[...groups, text].join(' › ')}\n  ${source.path}:${line}`),
  );
  const files = listPackages().flatMap(name => readSources(name).map(({ path }) => `packages/${name}/src/${path}`));
  console.log([...drawSample(tests, 15, seed), '', ...drawSample(files, 15, seed)].join('\n'));
  process.exit();
}

/** Functions of so many lines are small in the report. */
const SMALL_FUNCTION_LINES = 5;

/** Lines of functions and files, functions with one reference and small ones among them, imports per file and type cycles, measured in November 2026 with the same rules. */
const OTHERS = [
  ['connect-es', '69', '6,400', '95/293/-/1376', '11/39/87', '34 % (1)', '4.6', '1 (2, 2)'],
  ['execa', '108', '5,700', '54/136/-/243', '7/20/47', '-', '-', '-'],
  ['jose', '56', '5,100', '133/333/-/691', '9/34/110', '16 % (2)', '3.9', '1 (2, 2)'],
  ['hono', '161', '14,700', '-', '8/35/95', '50 % (5)', '2.6', '5 (-, 29)'],
  ['trpc server', '83', '7,700', '-', '8/30/68', '39 % (11)', '3.2', '1 (24, 24)'],
  ['MCP SDK v2', '127', '20,300', '116/831/-/2629', '8/41/138', '24–37 % (10)', '1.5–2.7', '3 (-, 7)'],
];

const join = ({ p50, p90, p99, max }: Percentiles, parts = 4): string => [p50, p90, p99, max].slice(0, parts).join('/');

const packages = listPackages().map(name => ({ name, sources: readSources(name) }));
const all = packages.flatMap(({ sources }) => sources);
const rows = packages.map(({ name, sources }) => {
  const structure = measureStructure(sources);
  const { functions, once } = findFunctionsWithOneReference(sources, all);
  const small = once.filter(({ lines }) => lines <= SMALL_FUNCTION_LINES).length;
  const { path, files } = structure.largestFolder;
  return [
    name,
    String(structure.files),
    structure.codeLines.toLocaleString('en'),
    join(structure.fileLines),
    join(structure.functionLines, 3),
    `${Math.round((100 * once.length) / functions.length)} % (${small})`,
    structure.importsPerFile.toFixed(1),
    `${structure.cycles.groups} (${structure.cycles.files}, ${structure.cycles.largest})`,
    String(structure.functionsWithoutVerb),
    `${files} in ${path}`,
  ];
});
const head = [
  'package',
  'files',
  'code lines',
  'file p50/90/99/max',
  'function p50/90/99',
  'one reference (small)',
  'imports',
  'type cycles (files, largest)',
  'no verb',
  'folder',
];
const table = [head, ...rows, ...OTHERS];
const widths = head.map((_, column) => Math.max(...table.map(row => (row[column] ?? '').length)));
for (const row of table)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );

const program = fileURLToPath(new URL('walk-calls.mjs', import.meta.url));
if (walk === undefined) {
  const figures: Readonly<Record<string, WalkFigures>> = JSON.parse(await runTraced(program));
  console.log('\nA plain tools/call over HTTP, from the request to the end of the response:');
  for (const [name, { calls, functions, files, moves }] of Object.entries(figures))
    console.log(`${name}: ${calls} calls of ${functions} functions in ${files} files, ${moves} moves between files`);
} else console.log(await runTraced(program, [walk]));

interface WalkFigures {
  readonly calls: number;
  readonly functions: number;
  readonly files: number;
  readonly moves: number;
}
