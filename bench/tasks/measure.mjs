// @ts-check
/**
 * Tasks of 2026-07-28 in stores of one SQLite file: how many a server begins, how soon a client has the result of one that
 * ends at once, and what a step costs in a long task. The floors are bare statements of the driver, each of them committed
 * to the disk, because that is what a task may not do without.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, tasks, tool } from 'tenon';
import { sqliteStores } from 'tenon/sqlite';
import { heading, median, table } from '../report.mjs';

/** @typedef {{ name: string, unit: string, floor: number[], tenon: number[], paired: number[] }} Measured */
/** @typedef {(folder: string, name: string) => Promise<number>} Run */

const Libsql = /** @type {any} */ (createRequire(import.meta.url)('libsql'));
const TASKS = 300;
const STEPS = [300, 3000];
const EXTENSIONS = [{ id: 'io.modelcontextprotocol/tasks' }];
const RECORD = JSON.stringify({ status: 'working', params: { name: 'work', arguments: {} }, padding: 'x'.repeat(400) });

/** @param {{ rounds: number }} options */
export async function measureTasks({ rounds }) {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-bench-tasks-'));
  /** @type {{ name: string, unit: string, floor: Run, tenon: Run }[]} */
  const works = [
    ...[1, 16].map(inFlight => ({
      name: `tasks begun, ${inFlight} in flight`,
      unit: '/s',
      floor: insertAndUpdate,
      tenon: measureBegun(inFlight),
    })),
    { name: 'until the client has the result', unit: 'ms', floor: measureFloorDelay, tenon: measureDelay },
    { name: 'results, 64 in flight', unit: '/s', floor: insertAndUpdate, tenon: measureResults(64) },
    ...STEPS.map(steps => ({
      name: `a step of ${steps}`,
      unit: 'µs',
      floor: insertSteps(steps),
      tenon: measureSteps(steps),
    })),
  ];
  /** @type {Measured[]} */
  const results = works.map(({ name, unit }) => ({ name, unit, floor: [], tenon: [], paired: [] }));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, work] of works.entries()) {
        /** @type {('floor' | 'tenon')[]} */
        const subjects = round % 2 === 0 ? ['floor', 'tenon'] : ['tenon', 'floor'];
        const result = /** @type {Measured} */ (results[index]);
        for (const subject of subjects)
          result[subject].push(await work[subject](folder, `${index}-${round}-${subject}`));
        result.paired.push(Number(result.tenon.at(-1)) / Number(result.floor.at(-1)));
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { results, markdown: toMarkdown(results) };
}

/** @param {string} folder @param {string} name */
function openFloor(folder, name) {
  const database = new Libsql(join(folder, `${name}.db`));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE entries (key TEXT PRIMARY KEY, value TEXT NOT NULL, version INTEGER NOT NULL)');
  const insert = database.prepare('INSERT INTO entries VALUES (?, ?, 1) RETURNING version');
  const update = database.prepare(
    'UPDATE entries SET value = ?, version = version + 1 WHERE key = ? RETURNING version',
  );
  return { database, insert, update };
}

/** @type {Run} */
async function insertAndUpdate(folder, name) {
  const { database, insert, update } = openFloor(folder, name);
  const start = performance.now();
  for (let n = 0; n < TASKS; n += 1) {
    insert.all([`task/${n}`, RECORD]);
    update.all([RECORD, `task/${n}`]);
  }
  const rate = (TASKS / (performance.now() - start)) * 1000;
  database.close();
  return rate;
}

/** @type {Run} */
async function measureFloorDelay(folder, name) {
  return 1000 / (await insertAndUpdate(folder, name));
}

/** @param {number} steps @returns {Run} */
function insertSteps(steps) {
  return async (folder, name) => {
    const { database, insert } = openFloor(folder, name);
    const start = performance.now();
    for (let n = 0; n < steps; n += 1) insert.all([`step/${n}`, JSON.stringify({ step: `step-${n}`, value: { n } })]);
    const time = performance.now() - start;
    database.close();
    return (time / steps) * 1000;
  };
}

/**
 * A server with tasks in a file of its own, and a client of it in the same process.
 * @param {string} folder
 * @param {string} name
 */
async function openPair(folder, name) {
  const stores = sqliteStores(join(folder, `${name}.db`));
  const server = createServer({
    name: 'bench',
    version: '1.0.0',
    stores,
    extensions: [tasks({ maxShare: 1, maxOpenPerUser: 10_000, maxRunning: 1000 })],
    tools: {
      work: tool({
        task: 'required',
        input: /** @type {const} */ ({ type: 'object', properties: { steps: { type: 'integer' } } }),
        async run({ steps = 0 }, ctx) {
          for (let n = 0; n < steps; n += 1) await ctx.step(`step-${n}`, () => ({ n }));
          return 'done';
        },
      }),
    },
  });
  const client = await connect(server, { extensions: EXTENSIONS });
  const close = async () => {
    // What the last tasks leave behind is deleted in the background.
    while ((await stores.values.list('task-open/')).length > 0) await new Promise(resolve => setTimeout(resolve, 1));
    await client.close();
    server.close();
    await stores.close();
  };
  const call = (steps = 0) => client.callTool('work', { steps });
  const begin = () => client.tasks.start('work', {});
  // The first task loads what works on tasks.
  await call();
  return { call, begin, close };
}

/** @param {number} count @param {number} inFlight @param {() => Promise<unknown>} work */
async function repeat(count, inFlight, work) {
  let left = count;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await work();
    }),
  );
  return performance.now() - start;
}

/** @param {number} inFlight @returns {Run} */
function measureBegun(inFlight) {
  return async (folder, name) => {
    const { begin, close } = await openPair(folder, name);
    const time = await repeat(TASKS, inFlight, begin);
    await close();
    return (TASKS / time) * 1000;
  };
}

/** @type {Run} */
async function measureDelay(folder, name) {
  const { call, close } = await openPair(folder, name);
  const times = [];
  for (let n = 0; n < 5; n += 1) times.push(await repeat(1, 1, call));
  await close();
  return median(times);
}

/** @param {number} inFlight @returns {Run} */
function measureResults(inFlight) {
  return async (folder, name) => {
    const { call, close } = await openPair(folder, name);
    const time = await repeat(TASKS, inFlight, () => call());
    await close();
    return (TASKS / time) * 1000;
  };
}

/** @param {number} steps @returns {Run} */
function measureSteps(steps) {
  return async (folder, name) => {
    const { call, close } = await openPair(folder, name);
    const time = await repeat(1, 1, () => call(steps));
    await close();
    return (time / steps) * 1000;
  };
}

/** @param {readonly Measured[]} results */
function toMarkdown(results) {
  const rows = results.map(({ name, unit, floor, tenon, paired }) => [
    name,
    `${median(floor).toFixed(1)} ${unit}`,
    `${median(tenon).toFixed(1)} ${unit}`,
    median(paired).toFixed(2),
  ]);
  return [
    heading(2, 'Tasks in SQLite, on 2026-07-28'),
    'The floor of a task is an insert and an update, that of a step an insert, each committed by itself. Server and client share ',
    'one process. The ratio is the median of those of the rounds.\n\n',
    table(['work', 'floor', 'Tenon', '× floor'], rows),
  ].join('');
}
