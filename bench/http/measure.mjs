// @ts-check
/** What a call of a tool costs a server on HTTP, and what an answer with notices of progress does. */

import { measureServers } from '../measure-servers.mjs';
import { formatNumber, formatRatios, heading, median, RATIOS_NOTE, range, table } from '../report.mjs';
import { scenarioGroups } from './scenarios.mjs';
import { selectSubjects, startPeer } from './subjects.mjs';

/** @typedef {import('./scenarios.mjs').Scenario} Scenario */
/** @typedef {import('./subjects.mjs').Subject & { samples: Record<string, import('../measure-servers.mjs').Sample[]> }} Measured */
/** @typedef {{ id: string, title: string, about: string, measured: Measured[] }} Result */

/** @param {{ rounds: number, connections: number }} options `TENON_BENCH_SCENARIOS` names the scenarios, `TENON_BENCH_ONLY` the peers, where not all are wanted */
export async function measureHttp({ rounds, connections }) {
  const wanted = process.env.TENON_BENCH_SCENARIOS?.split(',');
  /** @type {Result[]} */
  const results = [];
  for (const { answers, tool, scenarios } of scenarioGroups) {
    const selected = scenarios.filter(({ id }) => !wanted || wanted.includes(id));
    if (selected.length === 0) continue;
    console.error(selected.map(({ title }) => title).join('; '));
    const measured = await measureServers(
      selectSubjects(answers),
      subject => startPeer(subject, answers, { tools: [tool], more: 0 }, connections),
      rounds,
      () => selected.map(scenario => ({ ...scenario, inFlight: connections })),
    );
    for (const { id, title, about } of selected) {
      const own = measured.map(each => ({ ...each, samples: { [id]: each.samples[id] ?? [] } }));
      results.push({ id, title, about, measured: own });
    }
  }
  return { results: { connections, scenes: results }, markdown: toMarkdown(results, rounds, connections) };
}

/** @param {readonly Result[]} results @param {number} rounds @param {number} connections */
function toMarkdown(results, rounds, connections) {
  return [
    heading(2, 'What a request costs a server on HTTP'),
    `Each server in its own process, called over loopback by one load generator on ${connections} raw connections, each with a session of its own where there are sessions; every answer is looked at. ${rounds} rounds, interleaved; medians, and for the CPU from least to most. ${RATIOS_NOTE} `,
    'The main figure is the CPU of the server per request, as the operating system has counted it; on a busy machine the times and the rates tell little. ',
    'Tenon has no 2025-11-25 without sessions: whom that revision says to open one is given one.\n',
    ...results.map(({ id, title, about, measured }) => `${heading(3, title)}${about}\n\n${toTable(id, measured)}`),
  ].join('\n');
}

/** @param {string} id @param {readonly Measured[]} measured */
function toTable(id, measured) {
  const rows = measured.map(({ name, revision: version, note, samples: { [id]: samples = [] } }) => {
    const base = (/** @type {string} */ who) =>
      measured.find(each => each.name === who && each.revision === version)?.samples[id];
    const of = (/** @type {keyof import('../measure-servers.mjs').Sample} */ what) =>
      median(samples.map(sample => sample[what]));
    return [
      name,
      version,
      range(samples.map(({ cpu }) => cpu)),
      ...['floor', 'checked floor', 'tenon', 'v2'].map(who => formatRatios(samples, base(who), 'cpu')),
      of('rate').toFixed(0),
      `${formatNumber(of('p50') / 1000)} / ${formatNumber(of('p99') / 1000)}`,
      of('megabytes').toFixed(0),
      `${(of('busy') * 100).toFixed(0)} / ${(of('driver') * 100).toFixed(0)}`,
      note,
    ];
  });
  const head = [
    'server',
    'revision',
    'CPU, µs',
    '× floor',
    '× checked floor',
    '× tenon',
    '× v2',
    'requests per second',
    'p50 / p99, ms',
    'RSS, MB',
    'server / load generator busy, % of a core',
    'mode',
  ];
  return table(head, rows);
}
