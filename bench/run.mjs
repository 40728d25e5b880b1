// @ts-check
/**
 * What the library costs, side by side with the official one. `npm run bench -- types size` measures these parts; without
 * arguments all are measured. `--rounds=5` says how often. Results are written to bench/results, as Markdown and as JSON.
 * The library must have been built: what is measured is what users get.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { arch, cpus, platform } from 'node:os';
import { join } from 'node:path';
import { readJson, root } from '../scripts/process.mjs';
import { measureAsking } from './asking/measure.mjs';
import { measureGateway } from './gateway/measure.mjs';
import { measureHost } from './host/measure.mjs';
import { measureSize } from './size/measure.mjs';
import { measureTypes } from './types/measure.mjs';

/** @type {Record<string, (options: { rounds: number }) => Promise<{ results: unknown, markdown: string }>>} */
const parts = {
  types: measureTypes,
  size: measureSize,
  asking: measureAsking,
  gateway: measureGateway,
  host: measureHost,
};

const args = process.argv.slice(2);
const rounds = Number(args.find(arg => arg.startsWith('--rounds='))?.split('=')[1] ?? 5);
const wanted = args.filter(arg => !arg.startsWith('--'));
const unknown = wanted.filter(name => !Object.hasOwn(parts, name));
if (unknown.length > 0 || !(rounds >= 1)) {
  console.error(`usage: npm run bench -- [${Object.keys(parts).join('] [')}] [--rounds=5]`);
  process.exit(2);
}

const machine = {
  node: process.version,
  platform: `${platform()} ${arch()}`,
  cpus: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`,
  tenon: readJson(join(root, 'packages/tenon/package.json')).version,
  official: readJson(join(root, 'node_modules/@modelcontextprotocol/server/package.json')).version,
};

const folder = join(root, 'bench/results');
await mkdir(folder, { recursive: true });
for (const [name, measure] of Object.entries(parts)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const { results, markdown } = await measure({ rounds });
  const when = new Date().toISOString();
  const about = `${Object.entries(machine)
    .map(([what, is]) => `${what} ${is}`)
    .join(', ')}, ${when}\n`;
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify({ when, machine, results }, undefined, 2)}\n`);
  await writeFile(join(folder, `${name}.md`), `${markdown}\n${about}`);
  console.log(`${markdown}\n${about}`);
}
