// @ts-check
/** The time, the memory and the instantiations that the compilers need for a server of many tools. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bin, root } from '../../scripts/process.mjs';
import { readCpuTime } from '../processes.mjs';
import { formatNumber, formatRatios, heading, median, range, table } from '../report.mjs';
import { kinds, programOf } from './programs.mjs';

/** @typedef {{ cpu: number, seconds: number, megabytes: number, instantiations: number, types: number }} Cost */
/** @typedef {{ compiler: string, kind: string, tools: number, rounds: Cost[] }} Measured */

const COUNTS = [50, 200, 400];
const compilers = { 'TypeScript 7': 'typescript', 'TypeScript 5.9': 'typescript-5' };
const OPTIONS = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/**
 * Compiles every program with every compiler, one after the other, `rounds` times over.
 * @param {{ rounds: number }} options
 */
export async function measureTypes({ rounds }) {
  await mkdir(join(root, '.cache'), { recursive: true });
  const folder = await mkdtemp(join(root, '.cache/bench-types-'));
  try {
    const programs = await writePrograms(folder);
    /** @type {Measured[]} */
    const results = Object.keys(compilers).flatMap(compiler =>
      programs.map(({ kind, tools }) => ({ compiler, kind, tools, rounds: [] })),
    );
    for (let round = 0; round < rounds; round += 1) {
      for (const result of results) result.rounds.push(compile(folder, result));
    }
    return { results, markdown: toMarkdown(results) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function writePrograms(folder) {
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const programs = COUNTS.flatMap(tools => Object.keys(kinds).map(kind => ({ kind, tools })));
  for (const { kind, tools } of programs) {
    const name = `${kind}-${tools}`;
    const source = programOf(/** @type {keyof typeof kinds} */ (kind), tools);
    await writeFile(join(folder, `${name}.ts`), source);
    await writeFile(join(folder, `${name}.json`), JSON.stringify({ compilerOptions: OPTIONS, files: [`${name}.ts`] }));
  }
  return programs;
}

/** @param {string} folder @param {Measured} measured @returns {Cost} */
function compile(folder, { compiler, kind, tools }) {
  const script = bin(compilers[/** @type {keyof typeof compilers} */ (compiler)], 'tsc');
  const args = [script, '-p', `${kind}-${tools}.json`, '--extendedDiagnostics'];
  const before = readEndedCpuTime();
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  const cpu = readEndedCpuTime() - before;
  if (status !== 0) throw new Error(`${compiler} does not accept ${kind} with ${tools} tools:\n${stdout}`);
  const read = (/** @type {string} */ name) => {
    const found = new RegExp(`^${name}:\\s*([\\d.]+)`, 'm').exec(stdout);
    if (found === null) throw new Error(`${compiler} says nothing of ${name}:\n${stdout}`);
    return Number(found[1]);
  };
  return {
    cpu,
    seconds: read('Total time'),
    megabytes: read('Memory used') / 1024,
    instantiations: read('Instantiations'),
    types: read('Types'),
  };
}

/** What has been used by all programs that this one has started and that are over: they are run one after the other. */
function readEndedCpuTime() {
  const { own, all } = readCpuTime([process.pid]);
  return all - own;
}

/** @param {readonly Measured[]} results */
function toMarkdown(results) {
  const parts = Object.keys(compilers).flatMap(compiler => {
    const here = results.filter(each => each.compiler === compiler);
    return [...COUNTS.map(tools => costs(compiler, tools, here)), growth(compiler, here)];
  });
  return `${heading(2, `Type checking, up to ${COUNTS.at(-1)} tools`)}${parts.join('\n')}`;
}

const about = (/** @type {string} */ kind) => kinds[/** @type {keyof typeof kinds} */ (kind)];

/** @param {string} compiler @param {number} tools @param {readonly Measured[]} results */
function costs(compiler, tools, results) {
  const of = results.filter(each => each.tools === tools);
  const official = of.find(({ kind }) => kind === 'official')?.rounds;
  const head = [
    'program',
    'CPU, s: median (least to most)',
    'time, s',
    'memory, MB',
    'instantiations',
    'CPU × official',
    'time × official',
    'memory × official',
    'instantiations × official',
  ];
  const rows = of.map(({ kind, rounds }) => [
    about(kind),
    range(rounds.map(each => each.cpu)),
    range(rounds.map(each => each.seconds)),
    formatNumber(median(rounds.map(each => each.megabytes))),
    String(rounds[0]?.instantiations),
    .../** @type {const} */ (['cpu', 'seconds', 'megabytes', 'instantiations']).map(what =>
      formatRatios(rounds, official, what),
    ),
  ]);
  return `${heading(3, `${compiler}, ${tools} tools`)}${table(head, rows)}`;
}

/** What one more tool costs, early and late: the same, where the cost is linear. @param {string} compiler @param {readonly Measured[]} results */
function growth(compiler, results) {
  const steps = COUNTS.slice(1).map((to, at) => ({ from: COUNTS[at] ?? 0, to }));
  const head = ['program', 'one more tool costs', ...steps.map(({ from, to }) => `from ${from} to ${to} tools`)];
  const rows = Object.keys(kinds).flatMap(kind => {
    const at = (/** @type {number} */ tools, /** @type {keyof Cost} */ what) =>
      median(results.find(each => each.kind === kind && each.tools === tools)?.rounds.map(each => each[what]) ?? []);
    return perTool.map(({ what, unit, times }) => [
      about(kind),
      unit,
      ...steps.map(({ from, to }) => formatNumber(((at(to, what) - at(from, what)) / (to - from)) * times)),
    ]);
  });
  return `${heading(3, `${compiler}, one more tool`)}${table(head, rows)}`;
}

/** @type {{ what: keyof Cost, unit: string, times: number }[]} */
const perTool = [
  { what: 'instantiations', unit: 'instantiations', times: 1 },
  { what: 'megabytes', unit: 'memory, KB', times: 1024 },
  { what: 'cpu', unit: 'CPU, ms', times: 1000 },
];
