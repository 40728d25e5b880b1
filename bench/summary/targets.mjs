// @ts-check
/** The targets that the library has set itself, and whether each is met by what was measured last. */

import { cases } from '../many/cases.mjs';
import { compare, formatNumber, median } from '../report.mjs';
import {
  binary,
  clientItems,
  codeModeListing,
  codeModeLoad,
  gatewayHop,
  hostListing,
  manyAtOnce,
  manyObjects,
  questions,
  serverItems,
  taskResults,
  taskSteps,
  tasksBegun,
  templates,
  workers,
} from './feature-targets.mjs';
import { resumeAfterKill, secondReplica, sharedSession, statelessCall, storedSession } from './replica-targets.mjs';
import { callRows, cheapest, findRow, scenarioRows, toRows, versions } from './rows.mjs';
import { idleSessions, longestTurn, protection, streamHeap } from './server-targets.mjs';
import { bundles, installed } from './size-targets.mjs';

/** @typedef {import('./rows.mjs').Json} Json */
/** @typedef {import('./rows.mjs').Row} Row */
/** @typedef {import('./rows.mjs').Parts} Parts */
/** @typedef {import('../report.mjs').Ratio} Ratio */
/** What is told of one target. `figures`: Tenon's, where less is better. Without `isMet` it has not been measured. @typedef {{ work: string, peer: string, official: string, tenon: string, target: string, figures: number[], isMet?: boolean }} TargetStatus */
/** @typedef {{ part: string, work: string, of: (results: any) => Omit<TargetStatus, 'work'> }} Target */

const NONE = '–';
/** Two figures are one when they are as near as two runs of the same are. */
const NOISE = 1.05;
const times = (/** @type {number} */ value) => (Number.isFinite(value) ? `${formatNumber(value)} ×` : NONE);
const timesPaired = (/** @type {Ratio} */ { paired, least }) =>
  Number.isFinite(paired) ? `${formatNumber(paired)} × (${formatNumber(least)})` : NONE;

/** Calls as multiples of a base: of one protocol version, or of both. @param {readonly Row[]} rows @param {string} base @param {number} limit @param {readonly string[]} [of] @param {string} [called] */
function multiples(rows, base, limit, of = versions, called = base) {
  const tell = (/** @type {string} */ kind) => {
    const each = of.map(version => cheapest(rows, kind, base, version));
    if (each.every(found => found === undefined)) return NONE;
    const names = [...new Set(each.flatMap(found => (found ? [found.name] : [])))];
    const figures = each.map(found => (found ? timesPaired(found.ratio) : NONE)).join(' / ');
    return kind === 'peer' ? `${names.join(', ')} ${figures}` : figures;
  };
  const figures = of.map(version => cheapest(rows, 'tenon', base, version)?.ratio.paired ?? Number.NaN);
  return {
    peer: tell('peer'),
    official: tell('v2'),
    tenon: tell('tenon'),
    target: `≤ ${limit} × ${called}`,
    figures,
    isMet: figures.every(figure => figure <= limit),
  };
}

/** @param {string} part @param {string} work @param {string} base @param {number} limit @param {readonly string[]} [of] @param {string} [called] @returns {Target} */
const calls = (part, work, base, limit, of, called) => ({
  part,
  work,
  of: results => multiples(callRows[part]?.(results) ?? [], base, limit, of, called),
});

/** The floor writes each answer by itself, as simple programs do: what writes those together that came together can be below it. @param {readonly Json[]} results */
function overPipes(results) {
  const rows = callRows.stdio?.(results) ?? [];
  const separate = multiples(rows, 'floor', 1.6);
  const joined = multiples(rows, 'floor, joined', 1.6).tenon;
  return { ...separate, tenon: `${separate.tenon} (of one that joins its writes: ${joined})` };
}

/** @param {string} id @param {Json} results */
const payloadRows = (id, { measured }) => toRows(measured, each => each.samples[id], 'cpu');

/** @param {Json} results */
function sameAsWithFew(results) {
  const [many, few] = [payloadRows('oneOfMany', results), payloadRows('oneOfFew', results)];
  const most = (/** @type {string} */ name) =>
    versions
      .map(version => compare(findRow(many, name, version)?.values ?? [], findRow(few, name, version)?.values ?? []))
      .filter(({ paired }) => Number.isFinite(paired))
      .reduce((one, other) => (one.paired > other.paired ? one : other), { paired: 0, least: 0 });
  const { paired } = most('tenon');
  return {
    peer: `mcp-lite ${timesPaired(most('mcp-lite stateless'))}`,
    official: timesPaired(most('v2')),
    tenon: timesPaired(most('tenon')),
    target: 'the same as with few',
    figures: [paired],
    isMet: paired <= NOISE,
  };
}

/** @param {Json} results */
function copies({ measured }) {
  const held = (/** @type {string} */ name) => {
    const found = measured.filter((/** @type {Json} */ each) => each.name === name);
    return Math.max(...found.flatMap((/** @type {Json} */ { held }) => [held.result, held.argument]));
  };
  const [tenon, floor] = [held('tenon'), held('checked floor')];
  return {
    peer: `mcp-lite ${held('mcp-lite stateless').toFixed(2)}`,
    official: held('v2').toFixed(2),
    tenon: `${tenon.toFixed(2)} (floor ${floor.toFixed(2)})`,
    target: 'no more than the floor',
    figures: [tenon],
    isMet: tenon <= floor + 0.1,
  };
}

/** Where it is dearest. @param {Json} results */
function mounted({ rows, slack }) {
  const shares = rows.map((/** @type {Json} */ { name, tenon, limit }) => ({ name, share: median(tenon) / limit }));
  const worst = shares.sort((/** @type {Json} */ a, /** @type {Json} */ b) => b.share - a.share)[0];
  return {
    peer: NONE,
    official: NONE,
    tenon: `${times(worst.share)} at most (${worst.name})`,
    target: `≤ ${slack} × their own echo, and what it adds on \`node:http\``,
    figures: [worst.share],
    isMet: worst.share <= 1,
  };
}

/** From starting the process on, by time and by CPU. @param {readonly Json[]} results @param {boolean} withZod */
function coldStart(results, withZod) {
  const kinds = /** @type {const} */ (['wall', 'cpu']);
  const of = (/** @type {string} */ name) =>
    kinds.map(kind => {
      const values = (/** @type {string} */ whose) =>
        results.find(each => each.name === whose)?.starts.map((/** @type {Json} */ start) => start[kind]) ?? [];
      return compare(values(name), values('node'));
    });
  const tell = (/** @type {string} */ name) => of(name).map(timesPaired).join(' / ');
  const tenon = of(withZod ? 'tenon, zod' : 'tenon, JSON Schema');
  const limits = withZod ? of('floor, zod').map(({ paired }) => paired + 0.25) : [1.25, 1.25];
  return {
    peer: withZod ? `tmcp ${tell('tmcp')}` : NONE,
    official: tell(withZod ? 'v2, zod' : 'v2, JSON Schema'),
    tenon: tenon.map(timesPaired).join(' / '),
    target: withZod ? `≤ zod alone + 0.25: ${limits.map(times).join(' / ')}` : '≤ 1.25 × `node -e 0`',
    figures: tenon.map(({ paired }) => paired),
    isMet: tenon.every(({ paired }, at) => paired <= (limits[at] ?? 0)),
  };
}

/** As ratios to a bare start, because the targets in milliseconds are those of a machine on which that takes 40 to 60. @param {readonly Json[]} results */
function commandStart(results) {
  const read = (/** @type {string} */ name) =>
    results.find(each => each.name === name)?.starts.map((/** @type {Json} */ { wall }) => wall) ?? [];
  const of = (/** @type {string} */ command) =>
    [`${command} --version`, `${command} call URL`].map(name => compare(read(name), read('node -e 0')));
  const tenon = of('tenon');
  const limits = [60 / 40, (60 + 120) / 60];
  return {
    peer: `mcporter ${of('mcporter').map(timesPaired).join(' / ')}`,
    official: NONE,
    tenon: tenon.map(timesPaired).join(' / '),
    target: `≤ ${limits.map(times).join(' / ')}: 60 ms / 120 ms more, where \`node -e 0\` takes 40 / 60`,
    figures: tenon.map(({ paired }) => paired),
    isMet: tenon.every(({ paired }, at) => paired <= (limits[at] ?? 0)),
  };
}

/** By TypeScript 7 / 5.9. @param {readonly Json[]} results @param {'cpu' | 'megabytes'} what */
function typeChecking(results, what) {
  const compilers = [...new Set(results.map(({ compiler }) => compiler))];
  const ratios = compilers.map(compiler => {
    const of = (/** @type {string} */ kind) =>
      results.find(each => each.compiler === compiler && each.kind === kind && each.tools === 200)?.rounds;
    const values = (/** @type {string} */ kind) => of(kind)?.map((/** @type {Json} */ round) => round[what]) ?? [];
    return compare(values('tenon'), values('official'));
  });
  return {
    peer: NONE,
    official: times(1),
    tenon: ratios.map(timesPaired).join(' / '),
    target: '≤ 0.8 × v2',
    figures: ratios.map(({ paired }) => paired),
    isMet: ratios.every(({ paired }) => paired <= 0.8),
  };
}

/** Instantiations: they are the same each time. @param {readonly Json[]} results */
function linear(results) {
  const growths = (/** @type {string} */ kind) =>
    [...new Set(results.map(({ compiler }) => compiler))].map(compiler => {
      const of = (/** @type {number} */ tools) =>
        results.find(each => each.compiler === compiler && each.kind === kind && each.tools === tools);
      return of(400)?.rounds[0].instantiations / of(200)?.rounds[0].instantiations;
    });
  const tell = (/** @type {string} */ kind) => growths(kind).map(times).join(' / ');
  const isMet = growths('tenon').every(growth => growth <= 2);
  return {
    peer: NONE,
    official: tell('official'),
    tenon: tell('tenon'),
    target: '≤ 2 ×: linear',
    figures: growths('tenon'),
    isMet,
  };
}

/** @param {Json} results */
function soaked({ growth, done }) {
  const verdicts = growth.map((/** @type {Json} */ { verdict }) => verdict);
  const isMet = verdicts.every((/** @type {string} */ verdict) => verdict === 'no growth');
  const tenon = `${isMet ? 'none' : verdicts.join(', ')} in ${(done.calls / 1e6).toFixed(1)} M calls`;
  return { peer: NONE, official: NONE, tenon, target: 'no growth after warm-up', figures: [], isMet };
}

const [sessions = '', perRequest = ''] = versions;
const both = 'on 2025-11-25 / 2026-07-28';

/** @type {readonly Target[]} */
const targets = [
  calls('http', 'HTTP `tools/call`, 2026-07-28', 'checked floor', 1.1, [perRequest]),
  calls('http', 'HTTP `tools/call`, 2025-11-25, in a session', 'checked floor', 1.25, [sessions]),
  { part: 'frameworks', work: 'the same on Express, Hono, Fastify, workerd, Deno, Bun', of: mounted },
  { part: 'stdio', work: `stdio, 64 in flight, ${both}`, of: overPipes },
  calls('memory', `in memory, client and server, 64 in flight, ${both}`, 'floor', 5),
  calls('client', `client over HTTP, 16 in flight, ${both}`, 'floor', 1.2, versions, '`node:http`'),
  {
    part: 'http',
    work: `SSE, 10 notices of progress, ${both}`,
    of: results => multiples(scenarioRows(results, 'progress'), 'floor', 1.5),
  },
  {
    part: 'payload',
    work: `\`tools/list\`, 1,000 tools, ${both}`,
    of: results => multiples(payloadRows('list', results), 'floor', 1),
  },
  { part: 'payload', work: '`tools/call` with 1,000 tools, × with few', of: sameAsWithFew },
  {
    part: 'payload',
    work: `1 MB out, ${both}`,
    of: results => multiples(payloadRows('result', results), 'floor', 1.1),
  },
  {
    part: 'payload',
    work: `1 MB in, ${both}`,
    of: results => multiples(payloadRows('argument', results), 'floor', 1.1),
  },
  { part: 'payload', work: '1 MB: copies held', of: copies },
  { part: 'binary', work: `\`resources/read\` of 10 MB binary, client and server, ${both}`, of: binary },
  { part: 'scale', work: 'a result of 5,000 items against its output schema, client', of: clientItems },
  { part: 'scale', work: 'a result of 5,000 items against its output schema, server', of: serverItems },
  { part: 'scale', work: '100,000 small objects in, zod / JSON Schema', of: manyObjects },
  { part: 'scale', work: 'a resource by one of 10,000 templates', of: templates },
  { part: 'asking', work: 'a question and its answer, both ends, 1 / 16 calls in flight', of: questions },
  { part: 'tasks', work: 'tasks begun on SQLite, 1 / 16 in flight', of: tasksBegun },
  { part: 'tasks', work: 'a task that ends at once: until the result, and results per second', of: taskResults },
  { part: 'tasks', work: 'a step in a task of 3,000', of: taskSteps },
  { part: 'gateway', work: `gateway, HTTP behind HTTP, ${both}`, of: gatewayHop },
  { part: 'host', work: '`tools/list`, 1,000 tools of 20 servers', of: hostListing },
  ...cases.map(({ id, title, base }) => ({
    part: 'many',
    work: `${title}, × ${base}`,
    of: (/** @type {any} */ results) => manyAtOnce(results, id),
  })),
  { part: 'code-mode', work: 'code mode: tokens of the listed tools of 2,594', of: codeModeListing },
  {
    part: 'code-mode-load',
    work: 'p99 of a call through a gateway while a program computes for 5 s',
    of: codeModeLoad,
  },
  { part: 'workers', work: 'two workers, a handler of 1 ms, calls per second', of: workers },
  { part: 'replicas', work: 'a call in a session in Redis, more than in memory', of: sharedSession },
  { part: 'replicas', work: 'a call of 2026-07-28 with stores in Redis: round trips', of: statelessCall },
  { part: 'replicas', work: 'two replicas, × one', of: secondReplica },
  {
    part: 'replicas',
    work: '`kill -9` of a replica: p99 until a stream goes on, call / listening',
    of: resumeAfterKill,
  },
  { part: 'replicas', work: 'a session in Redis, of 100,000', of: storedSession },
  { part: 'cold', work: 'cold start on stdio, JSON Schema, time / CPU', of: results => coldStart(results, false) },
  { part: 'cold', work: 'cold start on stdio, zod, time / CPU', of: results => coldStart(results, true) },
  { part: 'start', work: 'the command: `--version` / `call` over HTTP, × `node -e 0`', of: commandStart },
  { part: 'sessions', work: 'heap of an idle session, 20 tools', of: idleSessions },
  { part: 'protect', work: '`protect`, a token that was verified before', of: protection },
  { part: 'streams', work: `heap of an open stream, ${both}`, of: streamHeap },
  { part: 'streams', work: `a notification to 5,000 listeners, longest turn, ${both}`, of: longestTurn },
  { part: 'size', work: 'bundle: stdio / HTTP server / client, min + gzip', of: bundles },
  { part: 'size', work: 'install: packages, size', of: installed },
  { part: 'types', work: 'type-check of 200 tools: CPU, TypeScript 7 / 5.9', of: all => typeChecking(all, 'cpu') },
  { part: 'types', work: 'type-check of 200 tools: memory', of: all => typeChecking(all, 'megabytes') },
  { part: 'types', work: 'type-check: work for 400 tools, × that for 200', of: linear },
  { part: 'soak', work: 'soak of ten minutes', of: soaked },
];

/** @param {Parts} parts @returns {TargetStatus[]} */
export const getTargetStatuses = parts =>
  targets.map(({ part, work, of }) => {
    const measured = parts[part];
    if (measured === undefined) return { work, peer: NONE, official: NONE, tenon: NONE, target: NONE, figures: [] };
    return { work, ...of(measured.results) };
  });
