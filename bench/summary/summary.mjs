// @ts-check
/** What all parts have found, on one page: made from the JSON files, so that it says nothing that they do not. */
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, root } from '../../scripts/process.mjs';
import { heading, table } from '../report.mjs';
import { before } from './before.mjs';
import { drawPlot } from './plot.mjs';
import { getTargetStatuses } from './targets.mjs';

/** @typedef {import('./rows.mjs').Parts} Parts */

/** The folder of the results that are published. */
export const publishedFolder = join(root, 'bench/results');
const [BEGIN, END] = ['<!-- bench: `npm run bench -- report` writes what is between -->', '<!-- /bench -->'];

/** What has been measured last, of each part. @returns {Parts} */
export function readParts(folder = publishedFolder) {
  const files = readdirSync(folder).filter(file => file.endsWith('.json'));
  return Object.fromEntries(files.sort().map(file => [file.slice(0, -'.json'.length), readJson(join(folder, file))]));
}

/** @param {Parts} parts */
function toTable(parts) {
  const verdict = (/** @type {boolean | undefined} */ isMet) =>
    isMet === undefined ? 'not measured' : isMet ? 'met' : '**missed**';
  const rows = getTargetStatuses(parts).map(({ work, peer, official, tenon, target, isMet }) => [
    work,
    peer,
    official,
    before[work] ?? '–',
    tenon,
    target,
    verdict(isMet),
  ]);
  return table(['work', 'best peer', 'official v2', 'Tenon before', 'Tenon', 'target', ''], rows);
}

/** When and where. @param {Parts} parts */
function describeRun(parts) {
  const all = Object.values(parts).flatMap(part => (part ? [part] : []));
  const days = [...new Set(all.map(({ when }) => when.slice(0, 10)))].sort();
  const machines = [...new Set(all.map(({ machine }) => `${machine.cpus}, Node ${machine.node}, ${machine.platform}`))];
  return `${days.length > 1 ? `${days[0]} to ${days.at(-1)}` : days[0]}, ${machines.join('; ')}`;
}

/** The row whose figures the README quotes. */
const QUOTED = 'HTTP `tools/call`, 2026-07-28';

/** What the README says of it: one sentence and the plot. @param {Parts} parts */
export function toReadmeBlock(parts) {
  const row = getTargetStatuses(parts).find(({ work }) => work === QUOTED);
  return toBlock([
    ...(row
      ? [
          `A \`tools/call\` over HTTP on 2026-07-28 costs ${row.tenon} the CPU of a hand-written Node server with the same checks;`,
          `with the official SDK v2 it costs ${row.official}: medians of paired ratios, and in brackets of the least values (${describeRun(parts)}).`,
          '',
        ]
      : []),
    '![CPU of a call, as multiples of bare Node](bench/results/plot.svg)',
  ]);
}

/** What the page about benchmarks says of it: the whole table. @param {Parts} parts */
export function toPageBlock(parts) {
  return toBlock([
    '![CPU of a call, as multiples of bare Node](../bench/results/plot.svg)',
    '',
    toTable(parts).trimEnd(),
    '',
    `CPU per request unless a row says otherwise. A ratio is the median of the ratios of each round; in brackets is the ratio of the least values. *Tenon before*: independent measurements of another machine, before the work on speed of November 2026. ${describeRun(parts)}.`,
    '[`bench/results`](../bench/results/README.md) has all figures, their spread, and the setup of each peer.',
  ]);
}

/** @param {readonly string[]} lines */
const toBlock = lines => [BEGIN, '', ...lines, '', END].join('\n');

/** Where the block of a text is, if it has one. @param {string} text @returns {[number, number] | undefined} */
function blockIn(text) {
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  return start < 0 || end < start ? undefined : [start, end + END.length];
}

/** The block of a text as it stands. @param {string} text */
export const blockOf = text => text.slice(...(blockIn(text) ?? [0, 0]));

/** The files in which a block stands. @type {Record<string, (parts: Parts) => string>} */
export const blocks = { 'README.md': toReadmeBlock, 'docs/benchmarks.md': toPageBlock };

/** Writes the page, the picture, and the blocks where these results are published. */
export async function writeSummary(folder = publishedFolder) {
  const parts = readParts(folder);
  const about = describeRun(parts);
  await writeFile(join(folder, 'plot.svg'), `${await drawPlot(parts, about)}\n`);
  await writeFile(join(folder, 'README.md'), pageOf(parts));
  if (folder !== publishedFolder) return;
  for (const [name, write] of Object.entries(blocks)) {
    const file = join(root, name);
    const text = await readFile(file, 'utf8');
    const place = blockIn(text);
    if (place) await writeFile(file, text.slice(0, place[0]) + write(parts) + text.slice(place[1]));
  }
}

/** @param {Parts} parts */
export function pageOf(parts) {
  const links = Object.entries(parts).flatMap(([name, part]) =>
    part ? [`- [${name}](${name}.md): ${part.when}`] : [],
  );
  return [
    heading(1, 'Benchmark results'),
    `${describeRun(parts)}. Written by \`npm run bench -- report\` from the JSON files beside it.\n\n`,
    '![CPU of a call, as multiples of bare Node](plot.svg)\n\n',
    heading(2, 'Targets'),
    'Figures are of CPU per request where nothing else is said. A ratio is the median of the ratios of each round, in which both were measured; in brackets is the ratio of the least values. A *floor* is bare Node that parses and answers canned; a *checked floor* also checks the envelope and the headers, routes, and validates the argument. What is missed is told here as well as what is met.\n\n',
    toTable(parts),
    '\n[Missed targets](../../docs/benchmarks.md#missed-targets) gives the reasons.\n',
    `\n${heading(2, 'The parts')}${links.join('\n')}\n`,
  ].join('');
}
