// @ts-check
/** What all parts have found, on one page: made from the JSON files, so that it says nothing that they do not. */
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readJson, root } from '../../scripts/process.mjs';
import { heading, table } from '../report.mjs';
import { drawPlot } from './plot.mjs';
import { getTargetStatuses } from './targets.mjs';

/** @typedef {import('./rows.mjs').Parts} Parts */

/** `TENON_BENCH_RESULTS` names another folder, for trials. */
export const folder = process.env.TENON_BENCH_RESULTS ?? join(root, 'bench/results');
const [BEGIN, END] = ['<!-- bench: `npm run bench -- report` writes what is between -->', '<!-- /bench -->'];

/** What has been measured last, of each part. @returns {Parts} */
export function readParts() {
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
    tenon,
    target,
    verdict(isMet),
  ]);
  return table(['work', 'best peer', 'official v2', 'Tenon', 'mark', ''], rows);
}

/** When and where. @param {Parts} parts */
function describeRun(parts) {
  const all = Object.values(parts).flatMap(part => (part ? [part] : []));
  const days = [...new Set(all.map(({ when }) => when.slice(0, 10)))].sort();
  const machines = [...new Set(all.map(({ machine }) => `${machine.cpus}, Node ${machine.node}, ${machine.platform}`))];
  return `${days.length > 1 ? `${days[0]} to ${days.at(-1)}` : days[0]}, ${machines.join('; ')}`;
}

/** What the README says of it. @param {Parts} parts */
export function readmeBlock(parts) {
  return [
    BEGIN,
    '',
    '![What a call costs, as multiples of bare Node](bench/results/plot.svg)',
    '',
    toTable(parts).trimEnd(),
    '',
    `Medians of CPU per request where nothing else is said; ${describeRun(parts)}. All figures, how each peer was set up, and`,
    'how far the figures spread are in [`bench/results`](bench/results/README.md);',
    '[where the rest goes](docs/benchmarks.md#what-is-above-its-mark) tells why what is missed is missed.',
    '',
    END,
  ].join('\n');
}

/** Where the block of a text is, if it has one. @param {string} text @returns {[number, number] | undefined} */
function blockIn(text) {
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  return start < 0 || end < start ? undefined : [start, end + END.length];
}

/** The block of a text as it stands. @param {string} text */
export const blockOf = text => text.slice(...(blockIn(text) ?? [0, 0]));

/** Writes the page, the picture, and the block of the README. */
export async function writeSummary() {
  const parts = readParts();
  const about = describeRun(parts);
  await writeFile(join(folder, 'plot.svg'), `${drawPlot(parts, about)}\n`);
  await writeFile(join(folder, 'README.md'), pageOf(parts));
  if (process.env.TENON_BENCH_RESULTS !== undefined) return;
  const readme = join(root, 'README.md');
  const text = await readFile(readme, 'utf8');
  const place = blockIn(text);
  if (place) await writeFile(readme, text.slice(0, place[0]) + readmeBlock(parts) + text.slice(place[1]));
}

/** @param {Parts} parts */
export function pageOf(parts) {
  const links = Object.entries(parts).flatMap(([name, part]) =>
    part ? [`- [${name}](${name}.md): ${part.when}`] : [],
  );
  return [
    heading(1, 'What Tenon costs'),
    `${describeRun(parts)}. Written by \`npm run bench -- report\` from the JSON files beside it.\n\n`,
    '![What a call costs, as multiples of bare Node](plot.svg)\n\n',
    heading(2, 'Targets'),
    'Figures are medians of CPU per request where nothing else is said. A *floor* is bare Node that parses and answers canned; a *checked floor* also checks the envelope and the headers, routes, and validates the argument. What is missed is told here as well as what is met.\n\n',
    toTable(parts),
    '\n[Where the rest goes](../../docs/benchmarks.md#what-is-above-its-mark) tells why what is missed is missed.\n',
    `\n${heading(2, 'The parts')}${links.join('\n')}\n`,
  ].join('');
}
