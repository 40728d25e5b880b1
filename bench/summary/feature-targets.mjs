// @ts-check
/** Targets of questions, large values, tasks, the gateway, the host and workers. */
import { judgeCase } from '../many/cases.mjs';
import { compare, formatNumber, formatRatio, median } from '../report.mjs';

/** @typedef {import('./rows.mjs').Json} Json */
/** @typedef {Omit<import('./targets.mjs').TargetStatus, 'work'>} Status */

const NONE = '–';
const PROTOCOL_VERSIONS = ['2025-11-25', '2026-07-28'];
const QUESTION = 'a question and its answer';
const MAX_QUESTION = 150;
const MAX_BINARY = 1.2;
/** Most of a result of many items, times the floor. */
const MAX_ITEMS = 1.1;
const MAX_OBJECTS = 1.5;
const MAX_TEMPLATE = 1;
const MAX_TASK_DELAY = 50;
const MIN_RESULTS = 480;
/** Tasks begun per second, of a disk that commits 1,221 bare inserts and updates: on another disk the ratio counts. */
const MIN_BEGUN = 900;
const MIN_BEGUN_RATIO = 900 / 1221;
const MAX_STEP_GROWTH = 1.2;
const MAX_HOP = 1.5;
const MAX_LISTING = 1.2;
const MIN_WORKERS = 1.8;
const MAX_LISTED_TOKENS = 1000;
const MAX_PROGRAM_P99 = 1.1;

/** @param {Json} each @param {string} what @returns {number[]} */
const values = (each, what) => each?.samples.map((/** @type {Json} */ sample) => sample[what]) ?? [];
const tell = (/** @type {number[]} */ figures) => figures.map(formatNumber).join(' / ');

/** A question and its answer, one call in flight and several. @param {Json} results @returns {Status} */
export function questions({ together }) {
  const figures = together
    .filter((/** @type {Json} */ { name }) => name === QUESTION)
    .sort((/** @type {Json} */ a, /** @type {Json} */ b) => a.inFlight - b.inFlight)
    .map((/** @type {Json} */ each) => median(values(each, 'cpu')));
  return {
    peer: NONE,
    official: NONE,
    tenon: `${tell(figures)} µs`,
    target: `≤ ${MAX_QUESTION} µs`,
    figures,
    isMet: figures.length > 0 && figures.every((/** @type {number} */ figure) => figure <= MAX_QUESTION),
  };
}

/** @param {Json} results @returns {Status} */
export function binary({ measured }) {
  const floor = values(
    measured.find((/** @type {Json} */ { name }) => name === 'floor'),
    'cpu',
  );
  const ratios = PROTOCOL_VERSIONS.map(version =>
    compare(
      values(
        measured.find((/** @type {Json} */ each) => each.name === 'tenon' && each.revision === version),
        'cpu',
      ),
      floor,
    ),
  );
  return {
    peer: NONE,
    official: NONE,
    tenon: ratios.map(ratio => `${formatRatio(ratio)} ×`).join(' / '),
    target: `≤ ${MAX_BINARY} × floor`,
    figures: ratios.map(({ paired }) => paired),
    isMet: ratios.every(({ paired }) => paired <= MAX_BINARY),
  };
}

/** Milliseconds of CPU. @param {Json} results @param {string} work @param {string} name */
const scaleOf = ({ measured }, work, name) =>
  values(
    measured.find((/** @type {Json} */ each) => each.id === work && each.name === name),
    'cpu',
  );

/** CPU of a work, times that of the floor. @param {Json} results @param {string} work @param {string} name */
const compareScale = (results, work, name) => compare(scaleOf(results, work, name), scaleOf(results, work, 'floor'));

/** @param {string} work @returns {(results: Json) => Status} */
const itemsOf = work => results => {
  const own = compareScale(results, work, 'tenon');
  return {
    peer: NONE,
    official: `${formatRatio(compareScale(results, work, 'v2'))} ×`,
    tenon: `${formatRatio(own)} ×`,
    target: `≤ ${MAX_ITEMS} × floor`,
    figures: [own.paired],
    isMet: own.paired <= MAX_ITEMS,
  };
};

export const clientItems = itemsOf('client');
export const serverItems = itemsOf('server');

/** @param {Json} results @returns {Status} */
export function templates(results) {
  const own = median(scaleOf(results, 'templates', 'tenon'));
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatNumber(own)} ms`,
    target: `≤ ${MAX_TEMPLATE} ms`,
    figures: [own],
    isMet: own <= MAX_TEMPLATE,
  };
}

/** With zod, and with a JSON Schema. @param {Json} results @returns {Status} */
export function manyObjects(results) {
  const ratios = ['objects', 'plainObjects'].map(work => compareScale(results, work, 'tenon'));
  return {
    peer: NONE,
    official: `${formatRatio(compareScale(results, 'objects', 'v2'))} ×`,
    tenon: ratios.map(ratio => `${formatRatio(ratio)} ×`).join(' / '),
    target: `≤ ${MAX_OBJECTS} × floor`,
    figures: ratios.map(({ paired }) => paired),
    isMet: ratios.every(({ paired }) => paired <= MAX_OBJECTS),
  };
}

/** @param {readonly Json[]} results @param {string} name @returns {Json} */
const task = (results, name) => results.find(each => each.name === name) ?? { tenon: [], floor: [], paired: [] };

/** Tasks per second, one call in flight and 16. @param {readonly Json[]} results @returns {Status} */
export function tasksBegun(results) {
  const found = ['tasks begun, 1 in flight', 'tasks begun, 16 in flight'].map(name => task(results, name));
  const rates = found.map(({ tenon }) => median(tenon));
  const ratios = found.map(({ paired }) => median(paired));
  return {
    peer: NONE,
    official: NONE,
    tenon: `${tell(ratios)} × (${tell(rates)}/s)`,
    target: `≥ ${formatNumber(MIN_BEGUN_RATIO)} × bare insert and update, which is ${MIN_BEGUN}/s of 1,221`,
    figures: ratios.map(ratio => 1 / ratio),
    isMet: ratios.every(ratio => ratio >= MIN_BEGUN_RATIO),
  };
}

/** The time until the client has the result of a task that ends at once. @param {readonly Json[]} results @returns {Status} */
export function taskResults(results) {
  const delay = median(task(results, 'until the client has the result').tenon);
  const rate = median(task(results, 'results, 64 in flight').tenon);
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatNumber(delay)} ms, ${formatNumber(rate)}/s`,
    target: `≤ ${MAX_TASK_DELAY} ms, ≥ ${MIN_RESULTS}/s`,
    figures: [delay, 1000 / rate],
    isMet: delay <= MAX_TASK_DELAY && rate >= MIN_RESULTS,
  };
}

/** What a step costs in a task of 3,000 steps, as a multiple of one of 300. @param {readonly Json[]} results @returns {Status} */
export function taskSteps(results) {
  const [few, many] = ['a step of 300', 'a step of 3000'].map(name => task(results, name).tenon);
  const { paired } = compare(many, few);
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatNumber(paired)} × a step of 300`,
    target: `≤ ${MAX_STEP_GROWTH} ×: linear`,
    figures: [paired],
    isMet: paired <= MAX_STEP_GROWTH,
  };
}

/** As multiples of a bare proxy. @param {Json} results @returns {Status} */
export function gatewayHop({ scenes }) {
  const of = (/** @type {string} */ version, /** @type {RegExp} */ name) => {
    const scenario = scenes.find(
      (/** @type {Json} */ each) => each.id === 'http-behind-http' && each.revision === version,
    );
    const cpu = (/** @type {RegExp} */ wanted) =>
      scenario?.measured
        .find((/** @type {Json} */ each) => wanted.test(each.name))
        ?.together.map((/** @type {Json} */ sample) => sample.cpu) ?? [];
    return compare(cpu(name), cpu(/^bare proxy$/));
  };
  const ratios = PROTOCOL_VERSIONS.map(version => of(version, /^tenon$/));
  const peers = PROTOCOL_VERSIONS.map(version => of(version, /^mcp-proxy$/));
  return {
    peer: peers.some(({ paired }) => Number.isFinite(paired))
      ? `mcp-proxy ${peers.map(ratio => (Number.isFinite(ratio.paired) ? `${formatRatio(ratio)} ×` : NONE)).join(' / ')}`
      : NONE,
    official: NONE,
    tenon: ratios.map(ratio => `${formatRatio(ratio)} ×`).join(' / '),
    target: `≤ ${MAX_HOP} × bare proxy`,
    figures: ratios.map(({ paired }) => paired),
    isMet: ratios.every(({ paired }) => paired <= MAX_HOP),
  };
}

/** 1,000 tools of 20 servers, as a multiple of those of one server. @param {readonly Json[]} results @returns {Status} */
export function hostListing(results) {
  const of = (/** @type {number} */ servers) =>
    results
      .find(each => each.kind === 'memory' && each.servers === servers && each.servers * each.tools === 1000)
      ?.rounds.map((/** @type {Json} */ round) => round.listingCpu) ?? [];
  const { paired, least } = compare(of(20), of(1));
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatRatio({ paired, least })} ×`,
    target: `≤ ${MAX_LISTING} × one server`,
    figures: [paired],
    isMet: paired <= MAX_LISTING,
  };
}

/** Calls per second of two workers, as a multiple of one process: a handler of 1 ms. @param {readonly Json[]} results @returns {Status} */
export function workers(results) {
  const of = (/** @type {number} */ count) =>
    results.find(each => each.workers === count)?.samples.work.map((/** @type {Json} */ sample) => sample.rate) ?? [];
  const { paired } = compare(of(2), of(1));
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatNumber(paired)} ×`,
    target: `≥ ${MIN_WORKERS} × one process`,
    figures: [1 / paired],
    isMet: paired >= MIN_WORKERS,
  };
}

/** Tokens of what code mode lists of the largest gateway. @param {readonly Json[]} results @returns {Status} */
export function codeModeListing(results) {
  const most = Math.max(...results.map(({ tools }) => tools));
  const tokens = results.find(({ tools, mode }) => tools === most && mode === 'code')?.listedTokens ?? Number.NaN;
  return {
    peer: 'Cloudflare 1,069',
    official: NONE,
    tenon: formatNumber(tokens),
    target: `≤ ${MAX_LISTED_TOKENS.toLocaleString('en-US')}`,
    figures: [tokens],
    isMet: tokens <= MAX_LISTED_TOKENS,
  };
}

/** The p99 of other callers while a program computes. @param {Json} results @returns {Status} */
export function codeModeLoad({ alone, program }) {
  const of = (/** @type {Json[]} */ samples) => samples.map(({ p99 }) => p99);
  const ratio = compare(of(program), of(alone));
  return {
    peer: NONE,
    official: NONE,
    tenon: `${formatRatio(ratio)} ×`,
    target: `≤ ${MAX_PROGRAM_P99} × without it`,
    figures: [ratio.paired],
    isMet: ratio.paired <= MAX_PROGRAM_P99,
  };
}

/** A case of many at once. @param {readonly Json[]} results @param {string} id @returns {Status} */
export function manyAtOnce(results, id) {
  const measured = results.find(each => each.id === id);
  const figures = measured ? judgeCase(id, { tenon: measured.tenon, base: measured.base }) : [];
  return {
    peer: NONE,
    official: NONE,
    tenon: figures.map(({ name, tenon, ratio }) => `${name} ${tenon}, ${ratio} ×`).join('; '),
    target: figures.map(({ target }) => target).join('; '),
    figures: figures.map(({ figure }) => figure),
    isMet: figures.length > 0 && figures.every(({ isMet }) => isMet),
  };
}
