// @ts-check
/** Many things at once: clients, sessions, tools, questions, users, bytes and slow programs. */
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startNode } from '../processes.mjs';
import { heading, RATIOS_NOTE, rotate, table } from '../report.mjs';
import { cases, judgeCase } from './cases.mjs';

/** @typedef {import('./cases.mjs').Measured} Measured */
/** @typedef {import('./cases.mjs').Sample} Sample */

/** A case takes up to half a minute, and each round has all of them. */
const MOST_ROUNDS = 5;
const SUBJECTS = /** @type {const} */ (['tenon', 'base']);

/** @param {{ rounds: number }} options `TENON_BENCH_ONLY` names the cases where not all are wanted */
export async function measureMany({ rounds }) {
  const only = process.env.TENON_BENCH_ONLY?.split(',');
  /** @type {Measured[]} */
  const measured = cases
    .filter(({ id }) => only === undefined || only.includes(id))
    .map(({ id }) => ({ id, tenon: [], base: [] }));
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round += 1) {
    for (const each of measured) {
      for (const subject of rotate(SUBJECTS, round)) each[subject].push(await runCase(each.id, subject));
    }
  }
  return { results: measured, markdown: toMarkdown(measured) };
}

/** @param {string} id @param {string} subject @returns {Promise<Sample>} */
async function runCase(id, subject) {
  const child = startNode(['--expose-gc', fileURLToPath(new URL('worker.mjs', import.meta.url)), id, subject]);
  const [found] = await Promise.all([
    text(/** @type {import('node:stream').Readable} */ (child.stdout)),
    new Promise(resolve => child.once('exit', resolve)),
  ]);
  if (found === '') throw new Error(`the case ${id} of ${subject} found nothing`);
  return JSON.parse(found);
}

/** @param {readonly Measured[]} measured */
function toMarkdown(measured) {
  const parts = measured.map(each => {
    const { title = '', base = '', about = '' } = cases.find(({ id }) => id === each.id) ?? {};
    const rows = judgeCase(each.id, each).map(({ name, tenon, base, ratio, target, isMet }) => [
      name,
      tenon,
      base,
      ratio,
      target,
      isMet ? 'met' : '**missed**',
    ]);
    const head = ['figure', 'Tenon', base, '×', 'target', ''];
    return `${heading(3, title)}${about}\n\n${table(head, rows)}`;
  });
  return `${heading(2, 'Many at once')}Each case runs in processes of its own. ${RATIOS_NOTE}\n\n${parts.join('\n')}`;
}
