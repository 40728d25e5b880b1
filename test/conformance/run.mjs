// @ts-check
/**
 * Runs the official conformance suite, in its newest and its stable version, against the server and the client fixture,
 * on every protocol version that it knows. Arguments narrow the runs to those whose leg or scenario contains one of them. As a
 * step of `npm test`, legs that repeat the scenarios of another are left to `npm run test:full`, and so are most scenarios of
 * clients. What is known to fail is in known-failures.yaml; an entry that no longer fails is a failure itself.
 */
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '../../scripts/process.mjs';
import { installRuntimes } from '../../scripts/runtimes.mjs';
import { endAll } from './children.mjs';
import { covers, readKnownFailures } from './known-failures.mjs';
import { installPacked } from './packed.mjs';
import { faultsOf, table } from './report.mjs';
import { openSuite } from './suite.mjs';

/** @typedef {import('./report.mjs').Run} Run */
/** Several scenarios that one program runs, or one. @typedef {{ label: string, take: () => Promise<Run[]> }} Job */

const results = join(root, '.cache/conformance');
const suites = { newest: openSuite('@modelcontextprotocol/conformance'), stable: openSuite('conformance-stable') };
const SCORED = ['2025-11-25', '2026-07-28'];
const STABLE = '0.1.16';
const repeats = ['server, ', 'server 2025-06-18', `client, ${STABLE}`, 'client 2025', 'gateway'];
const withoutRepeats = process.env.TENON_TEST_EXTENT === 'cover';
/** A step of `npm test` takes one of so many scenarios of clients, because each of them starts two processes. */
const CLIENT_SHARE = 4;

/** @typedef {{ leg: string, where: string, suite: ReturnType<typeof openSuite>, args: string[], filter: string[], called?: 'gateway' }} ServerLeg */

/** @type {ServerLeg[]} */
const serverLegs = [
  ...SCORED.map(version => ({
    leg: `server ${version}`,
    where: version,
    suite: suites.newest,
    args: ['--requirements', version],
    filter: ['--requirements', version],
  })),
  {
    leg: 'server 2025-06-18',
    where: '2025-06-18',
    suite: suites.newest,
    args: ['--suite', 'all', '--spec-version', '2025-06-18'],
    filter: ['--server', '--spec-version', '2025-06-18'],
  },
  { leg: 'server, all suites', where: 'all', suite: suites.newest, args: ['--suite', 'all'], filter: ['--server'] },
  { leg: `server, ${STABLE}`, where: STABLE, suite: suites.stable, args: ['--suite', 'all'], filter: ['--server'] },
];

/** What a server passes, the gateway in front of it has to pass. @type {ServerLeg[]} */
const gatewayLegs = serverLegs.map(each => ({
  ...each,
  leg: each.leg.replace('server', 'gateway'),
  called: /** @type {const} */ ('gateway'),
}));

/** @returns {Job[]} */
function serverJobs() {
  return [...serverLegs, ...gatewayLegs].map(({ leg, where, suite, args, filter, called }) => ({
    label: leg,
    async take() {
      const expected = await suite.list('server', filter);
      const folder = join(results, leg.replaceAll(/\W+/g, '-'));
      const outcomes = await suite.callServer(called ?? 'server', expected, args, folder);
      return outcomes.map(outcome => ({ leg, side: 'server', where, ...outcome }));
    },
  }));
}

/** The wires on which a scenario is run: all protocol versions that it is for. An extension belongs to both that are scored. @param {string[]} windows */
const wiresOf = windows => (windows.includes('extension') ? SCORED : windows);

/** @returns {Promise<Job[]>} */
async function clientJobs() {
  const newest = await suites.newest.list('client', ['--client']);
  const onWires = newest.flatMap(scenario =>
    wiresOf(scenario.windows).map(wire => {
      const args = ['--spec-version', wire, ...(scenario.windows.includes('extension') ? ['--force'] : [])];
      return { leg: `client ${wire}`, where: wire, suite: suites.newest, scenario, args };
    }),
  );
  const stable = (await suites.stable.list('client', ['--client'])).map(scenario => {
    return { leg: `client, ${STABLE}`, where: STABLE, suite: suites.stable, scenario, args: [] };
  });
  const all = [...onWires, ...stable].toSorted((a, b) => a.leg.localeCompare(b.leg));
  return all.map(({ leg, where, suite, scenario, args }) => ({
    label: `${leg} ${scenario.name}`,
    async take() {
      const folder = join(results, leg.replaceAll(/\W+/g, '-'), scenario.name.replaceAll('/', '-'));
      return [{ leg, side: 'client', where, ...(await suite.watchClient(scenario, args, folder)) }];
    },
  }));
}

/** Runs the jobs, as many at once as there are processors. @param {readonly Job[]} jobs */
async function takeAll(jobs) {
  /** @type {Run[][]} */
  const runs = [];
  const waiting = [...jobs.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, job] = next;
      runs[index] = await job.take();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), 4) }, worker));
  return runs.flat();
}

/** @param {readonly Run[]} runs @param {boolean} isComplete whether all runs were made */
function judge(runs, isComplete) {
  const failures = readKnownFailures(new URL('known-failures.yaml', import.meta.url));
  const stale = [];
  for (const run of runs) {
    const known = failures.find(each => covers(each, run.side, run.scenario, run.where));
    if (known === undefined) continue;
    if (faultsOf(run).length > 0) run.known = known.area;
    else stale.push(`${known.entry} (${known.area}) passes: ${run.leg} ${run.scenario}`);
  }
  for (const known of isComplete ? failures : []) {
    if (!runs.some(run => covers(known, run.side, run.scenario, run.where))) stale.push(`${known.entry} is not run`);
  }
  return stale;
}

const started = performance.now();
const wanted = process.argv.slice(2);
await installRuntimes();
await installPacked();
await rm(results, { recursive: true, force: true, maxRetries: 10 });
try {
  const jobs = [...serverJobs(), ...(await clientJobs())];
  const chosen = jobs.filter(({ label }, index) => {
    if (wanted.length > 0 && !wanted.some(word => label.includes(word))) return false;
    if (!withoutRepeats) return true;
    if (repeats.some(word => label.startsWith(word))) return false;
    return wanted.length > 0 || !label.startsWith('client') || index % CLIENT_SHARE === 0;
  });
  const runs = await takeAll(chosen);
  const stale = judge(runs, chosen.length === jobs.length);
  const failed = runs.filter(run => run.known === undefined && faultsOf(run).length > 0);

  for (const run of failed) console.log(`FAILED ${run.leg}, ${run.scenario}\n  ${faultsOf(run).join('\n  ')}`);
  for (const line of stale) console.log(`STALE known failure: ${line}`);
  console.log(`\n${table(runs)}\n`);
  const known = runs.flatMap(run => run.known ?? []);
  for (const area of new Set(known)) {
    console.log(`known to fail, ${area}: ${known.filter(each => each === area).length}`);
  }
  console.log(`in ${((performance.now() - started) / 1000).toFixed(0)} s; all that was checked: ${results}`);
  const passed = runs.filter(run => run.known === undefined).length - failed.length;
  process.exitCode = failed.length + stale.length === 0 ? 0 : 1;
  console.log(`${passed} passed, ${failed.length + stale.length} failed`);
} finally {
  endAll();
}
