// @ts-check
/** The time, the memory and the instantiations that the compilers need for a server of many tools. */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bin, root } from '../../scripts/process.mjs';
import { heading, median, spread, table } from '../report.mjs';
import { kinds, programOf } from './programs.mjs';

/** @typedef {{ seconds: number, megabytes: number, instantiations: number, types: number }} Cost */
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
    return { results, markdown: markdownOf(results) };
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
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${compiler} does not accept ${kind} with ${tools} tools:\n${stdout}`);
  const read = (/** @type {string} */ name) => {
    const found = new RegExp(`^${name}:\\s*([\\d.]+)`, 'm').exec(stdout);
    if (found === null) throw new Error(`${compiler} says nothing of ${name}:\n${stdout}`);
    return Number(found[1]);
  };
  return {
    seconds: read('Total time'),
    megabytes: read('Memory used') / 1024,
    instantiations: read('Instantiations'),
    types: read('Types'),
  };
}

/** @param {readonly Measured[]} results */
function markdownOf(results) {
  const most = COUNTS.at(-1) ?? 0;
  const parts = Object.keys(compilers).flatMap(compiler =>
    COUNTS.map(tools => {
      const of = results.filter(each => each.compiler === compiler && each.tools === tools);
      const official = of.find(({ kind }) => kind === 'official');
      const rows = of.map(({ kind, rounds }) => [
        kinds[/** @type {keyof typeof kinds} */ (kind)],
        `${median(rounds.map(each => each.seconds)).toFixed(2)} s (${spread(rounds.map(each => each.seconds))})`,
        `${median(rounds.map(each => each.megabytes)).toFixed(0)} MB`,
        String(rounds[0]?.instantiations),
        ratio(rounds, official?.rounds, 'seconds'),
        ratio(rounds, official?.rounds, 'instantiations'),
      ]);
      const head = [
        'program',
        'time, median (least to most)',
        'memory',
        'instantiations',
        'time × official',
        'instantiations × official',
      ];
      return `${heading(3, `${compiler}, ${tools} tools`)}${table(head, rows)}`;
    }),
  );
  return `${heading(2, `Type checking, up to ${most} tools`)}${parts.join('\n')}`;
}

/** @param {Cost[]} rounds @param {Cost[] | undefined} official @param {keyof Cost} what */
function ratio(rounds, official = [], what) {
  return (median(rounds.map(each => each[what])) / median(official.map(each => each[what]))).toFixed(2);
}
