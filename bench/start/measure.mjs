// @ts-check
/** Time from the start of a command until it ends, side by side with `node -e 0` and with mcporter. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { root } from '../../scripts/process.mjs';
import { getPackageFolder } from '../packages.mjs';
import { formatRatios, heading, median, RATIOS_NOTE, range, rotate, table } from '../report.mjs';

/** `wall`: milliseconds. @typedef {{ name: string, args: string[], starts: { wall: number }[] }} Subject */

const STARTS_PER_ROUND = 2;
const LEAST_STARTS = 12;
const tenon = join(root, 'packages/cli/dist/tenon.mjs');
const mcporter = join(getPackageFolder('mcporter'), 'dist/cli.js');

/** @param {string} url @returns {Subject[]} */
const createSubjects = url =>
  /** @type {[string, string[]][]} */ ([
    ['node -e 0', ['-e', '0']],
    ['tenon --version', [tenon, '--version']],
    ['mcporter --version', [mcporter, '--version']],
    ['tenon --help', [tenon, '--help']],
    ['mcporter --help', [mcporter, '--help']],
    ['tenon list URL', [tenon, 'list', url, '--no-input']],
    ['mcporter list URL', [mcporter, 'list', url, '--allow-http']],
    ['tenon call URL', [tenon, 'call', url, 'echo', 'message=hi', '--no-input']],
    ['mcporter call URL', [mcporter, 'call', `${url}.echo`, '--allow-http', 'message=hi']],
  ]).map(([name, args]) => ({ name, args, starts: [] }));

/** @param {{ rounds: number }} options */
export async function measureStart({ rounds }) {
  const home = await mkdtemp(join(tmpdir(), 'tenon-bench-'));
  const echo = tool({
    input: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: ({ message }) => String(message),
  });
  const server = createServer({ name: 'bench', version: '1.0.0', tools: { echo } });
  const http = await serveHttp(server, { port: 0 });
  try {
    const subjects = createSubjects(http.url);
    // The first start reads the files from the disk, and keeps compiled code where the version of Node does.
    for (const each of subjects) await start(each, home);
    for (let at = 0; at < Math.max(LEAST_STARTS, rounds * STARTS_PER_ROUND); at += 1)
      for (const each of rotate(subjects, at)) each.starts.push({ wall: await start(each, home) });
    const results = subjects.map(({ name, starts }) => ({ name, starts }));
    return { results, markdown: toMarkdown(results) };
  } finally {
    await http.close();
    await rm(home, { recursive: true, force: true });
  }
}

/** @param {Subject} subject @param {string} home @returns {Promise<number>} */
async function start({ name, args }, home) {
  const env = { ...process.env, HOME: home, TENON_HOME: join(home, 'tenon') };
  const begun = performance.now();
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', text => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  const wall = performance.now() - begun;
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${errors}`);
  return wall;
}

/** @param {readonly Omit<Subject, 'args'>[]} results */
function toMarkdown(results) {
  const [bare] = results;
  const rows = results.map(({ name, starts }) => [
    `\`${name}\``,
    range(starts.map(({ wall }) => wall)),
    Math.round(median(starts.map(({ wall }, at) => wall - (bare?.starts[at]?.wall ?? Number.NaN)))).toString(),
    formatRatios(starts, bare?.starts, 'wall'),
  ]);
  return [
    heading(2, 'From the start of a command to its end'),
    `${results[0]?.starts.length} starts of each, interleaved; medians, and in brackets from least to most. The server is on loopback, and runs already. `,
    `"Over node" is the median of the differences to \`node -e 0\` of the same round. ${RATIOS_NOTE}\n\n`,
    table(['command', 'time, ms', 'over node, ms', '× node'], rows),
  ].join('');
}
