// @ts-check
/** What it takes to hold many servers with many tools each. */
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { firstLine, startNode, stop } from '../processes.mjs';
import { heading, median, spread, table } from '../report.mjs';

/** Milliseconds, megabytes, bytes; of calls microseconds. @typedef {{ created: number, opening: number, openingCpu: number, heap: number, rss: number, bytes: number, listing: number, listingCpu: number, calling: number, callingCpu: number }} Cost */
/** @typedef {{ kind: 'memory' | 'http' | 'stdio', servers: number, tools: number }} Setup */
/** @typedef {Setup & { rounds: Cost[] }} Measured */

const TOOLS = 50;
const MANY_TOOLS = 1000;
const PROCESSES = 4;
/** @type {Setup[]} */
const setups = [
  { kind: 'memory', servers: 1, tools: TOOLS },
  { kind: 'memory', servers: 1, tools: MANY_TOOLS },
  { kind: 'memory', servers: MANY_TOOLS / TOOLS, tools: TOOLS },
  { kind: 'memory', servers: 200, tools: TOOLS },
  { kind: 'http', servers: 1, tools: TOOLS },
  { kind: 'http', servers: 200, tools: TOOLS },
  { kind: 'stdio', servers: 1, tools: TOOLS },
  { kind: 'stdio', servers: 20, tools: TOOLS },
];
const kinds = {
  memory: 'in the process of the host',
  http: `on HTTP, in ${PROCESSES} processes`,
  stdio: 'on stdio, a Node process each',
};

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** @param {{ rounds: number }} options */
export async function measureHost({ rounds }) {
  /** @type {Measured[]} */
  const results = setups.map(setup => ({ ...setup, rounds: [] }));
  const most = Math.max(...setups.filter(({ kind }) => kind === 'http').map(({ servers }) => servers));
  const { urls, children } = await startHttpServers(most);
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const result of results) result.rounds.push(await measure(result, urls));
    }
  } finally {
    await Promise.all(children.map(stop));
  }
  return { results, markdown: toMarkdown(results) };
}

/** @param {number} count */
async function startHttpServers(count) {
  const each = Math.ceil(count / PROCESSES);
  const children = Array.from({ length: PROCESSES }, (_, at) =>
    startNode([here('many-http.mjs'), String(at * each), String(each), String(TOOLS)]),
  );
  const urls = await Promise.all(children.map(async child => JSON.parse(await firstLine(child))));
  return { urls: urls.flat(), children };
}

/** @param {Setup} setup @param {string[]} urls @returns {Promise<Cost>} */
async function measure({ kind, servers, tools }, urls) {
  const setup = { kind, servers, tools, urls: kind === 'http' ? urls.slice(0, servers) : [] };
  const child = startNode(['--expose-gc', here('worker.mjs'), JSON.stringify(setup)]);
  const [found] = await Promise.all([
    text(/** @type {import('node:stream').Readable} */ (child.stdout)),
    new Promise(resolve => child.once('exit', resolve)),
  ]);
  if (found === '') throw new Error(`the host of ${servers} servers, ${kinds[kind]}, found nothing`);
  return JSON.parse(found);
}

/** @param {readonly Measured[]} results */
function toMarkdown(results) {
  const rows = results.map(({ kind, servers, tools, rounds }) => {
    const of = (/** @type {keyof Cost} */ what) => median(rounds.map(each => each[what]));
    return [
      kinds[kind],
      `${servers} × ${tools}`,
      `${of('opening').toFixed(0)} (${spread(rounds.map(({ opening }) => opening))})`,
      of('openingCpu').toFixed(0),
      of('heap').toFixed(1),
      of('rss').toFixed(0),
      (of('bytes') / 1000).toFixed(0),
      `${of('listing').toFixed(2)} / ${of('listingCpu').toFixed(2)}`,
      `${of('callingCpu').toFixed(0)} (${spread(rounds.map(({ callingCpu }) => callingCpu))})`,
      of('calling').toFixed(0),
    ];
  });
  const head = [
    'servers',
    'how many × tools',
    'from `createHost` to the first `tools/list`, ms',
    'CPU of that, ms',
    'heap of the host, MB',
    'RSS, MB',
    'list, kB',
    '`tools/list` again, ms / CPU ms',
    '`tools/call`, CPU, µs',
    '`tools/call`, µs',
  ];
  return [
    heading(2, 'A host of many servers'),
    'The host in a process of its own, with its defaults (screening on) and a page that holds all. Requests go to its server object without a transport, on 2026-07-28; calls by public name, 16 at once, all over the list. ',
    'Servers in the process of the host are in its heap, its RSS and its CPU; of the others the host is counted alone. On stdio there are 20: each is a Node process.\n\n',
    table(head, rows),
  ].join('');
}
