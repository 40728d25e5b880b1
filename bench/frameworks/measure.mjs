// @ts-check
/** What Tenon adds to the frameworks and runtimes that it is mounted on. */
import { installRuntimes } from '../../scripts/runtimes.mjs';
import { connectOverHttp, connectWithoutHandshake, echo } from '../load.mjs';
import { measureServers } from '../measure-servers.mjs';
import { formatNumber, heading, median, range, table } from '../report.mjs';
import { platforms } from './platforms.mjs';

/** @typedef {import('./platforms.mjs').Platform} Platform */
/** @typedef {import('./platforms.mjs').What} What */
/** @typedef {{ platform: Platform, what: What }} Subject */
/** Microseconds of CPU of each round; with `limit`: what Tenon may cost there. @typedef {{ name: string, revision: string, note: string, echo: number[], tenon: number[], added: number, limit: number }} Row */

const PROTOCOL_VERSIONS = ['2025-11-25', '2026-07-28'];
const CONNECTIONS = 32;
/** How much dearer than the framework's own echo a call may be, apart from what it adds on bare Node. */
const SLACK = 1.15;
const work = { inFlight: CONNECTIONS, seconds: 0.7, warmUp: { most: 10_000, seconds: 3 } };

/** The framework sends back what it got. @type {import('../load.mjs').Call} */
const sentBack = {
  ...echo,
  isRight: ({ answer }, id) => answer?.params?.arguments?.text === `call ${id}`,
};

/** @param {{ rounds: number }} options */
export async function measureFrameworks({ rounds }) {
  await installRuntimes();
  /** @type {Record<What, import('../measure-servers.mjs').Workload[]>} */
  const workloads = {
    echo: PROTOCOL_VERSIONS.map(version => ({ id: version, call: sentBack, ...work })),
    tenon: PROTOCOL_VERSIONS.map(version => ({ id: version, call: echo, ...work })),
  };
  const subjects = platforms.flatMap(platform => [
    { platform, what: /** @type {What} */ ('echo') },
    { platform, what: /** @type {What} */ ('tenon') },
  ]);
  const measured = await measureServers(subjects, start, rounds, ({ what }) => workloads[what]);
  /** @type {(name: string, what: What, revision: string) => number[]} */
  const costs = (name, what, version) =>
    measured.find(each => each.platform.name === name && each.what === what)?.samples[version]?.map(({ cpu }) => cpu) ??
    [];
  const [bare] = platforms;
  const rows = PROTOCOL_VERSIONS.flatMap(version => {
    const of = (/** @type {string} */ name) => ({
      echo: costs(name, 'echo', version),
      tenon: costs(name, 'tenon', version),
    });
    const onBare = added(of(bare?.name ?? ''));
    return platforms.map(({ name, note }) => {
      const both = of(name);
      return { name, revision: version, note, ...both, added: added(both), limit: SLACK * median(both.echo) + onBare };
    });
  });
  return { results: { connections: CONNECTIONS, slack: SLACK, rows }, markdown: toMarkdown(rows, rounds) };
}

/** @param {{ echo: number[], tenon: number[] }} costs */
const added = ({ echo: own, tenon }) => median(tenon) - median(own);

/** @param {Subject} subject @returns {Promise<import('../measure-servers.mjs').Started>} */
async function start({ platform, what }) {
  const { child, url } = await platform.start(what);
  const callers = PROTOCOL_VERSIONS.map(async version => [
    version,
    what === 'echo'
      ? await connectWithoutHandshake(url, version, CONNECTIONS)
      : await connectOverHttp(url, version, CONNECTIONS, { sessions: 'each' }),
  ]);
  return { child, caller: Object.fromEntries(await Promise.all(callers)) };
}

/** @param {readonly Row[]} rows @param {number} rounds */
function toMarkdown(rows, rounds) {
  const head = [
    'on',
    'revision',
    'its own echo: CPU, µs',
    'tenon: CPU, µs',
    'added, µs',
    'added, × on `node:http`',
    'may cost, µs',
    'tenon, × what it may cost',
    'mounted by',
  ];
  const cells = rows.map(row => {
    const onBare = rows.find(({ revision: version }) => version === row.revision)?.added ?? Number.NaN;
    return [
      row.name,
      row.revision,
      range(row.echo),
      range(row.tenon),
      formatNumber(row.added),
      (row.added / onBare).toFixed(2),
      formatNumber(row.limit),
      (median(row.tenon) / row.limit).toFixed(2),
      row.note,
    ];
  });
  return [
    heading(2, 'Tenon on other frameworks and runtimes'),
    `A \`tools/call\` of one text, checked by zod, beside what the framework itself takes to parse the same request and to send it back as JSON. Each in a process of its own, ${CONNECTIONS} connections, every answer looked at; ${rounds} rounds, interleaved; CPU of all threads per request, as the operating system has counted it; medians, from least to most. `,
    `Tenon may cost ${SLACK} × the framework's own echo, and what it adds to an echo on bare \`node:http\`.\n\n`,
    table(head, cells),
  ].join('');
}
