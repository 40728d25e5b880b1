// @ts-check
/** Where the time of a call goes: of Tenon, and of the floor that it is held against. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { withServers } from '../client/measure.mjs';
import { scenarioGroups } from '../http/scenarios.mjs';
import { selectSubjects, startPeer } from '../http/subjects.mjs';
import { closeConnections, load } from '../load.mjs';
import { startWorker } from '../measure-workers.mjs';
import { workerSpecs } from '../memory/measure.mjs';
import { stop } from '../processes.mjs';
import { formatNumber, heading, table } from '../report.mjs';
import { IN_FLIGHT, startSubject, subjects as stdioSubjects } from '../stdio/measure.mjs';
import { loadPipes } from '../stdio/window.mjs';
import { OWNERS, sharesOf } from './shares.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** What was called, how often while it was looked at, and the profile. @typedef {{ work: string, who: string, calls: number, profile: import('./shares.mjs').Profile }} Seen */
/** Starts it with these flags of Node, and calls it for so many seconds. @typedef {{ work: string, who: string, start: (flags: string[]) => Promise<{ child: ChildProcess, call: (seconds: number) => Promise<number>, over?: () => void }> }} Subject */

const WARM = 3;
const SECONDS = 3;
const TOP = 8;
const NAMES = ['floor', 'checked floor', 'tenon'];

/** @param {{ connections: number }} options */
export async function measureProfile({ connections }) {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-profile-'));
  try {
    const seen = await withServers(async urls => {
      const subjects = [
        ...createHttpSubjects(connections),
        ...createStdioSubjects(),
        ...createMemorySubjects(),
        ...createClientSubjects(urls),
      ];
      /** @type {Seen[]} */
      const all = [];
      for (const [at, subject] of subjects.entries()) all.push(await look(subject, join(folder, `${at}.json`)));
      return all;
    });
    return { results: seen.map(summarize), markdown: toMarkdown(seen) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {number} connections @returns {Subject[]} */
function createHttpSubjects(connections) {
  return scenarioGroups.flatMap(({ answers, tool, scenarios }) =>
    scenarios.flatMap(({ title, call }) =>
      selectSubjects(answers)
        .filter(({ name }) => NAMES.includes(name) && name !== 'floor')
        .map(subject => ({
          work: `${title}, ${subject.revision}`,
          who: subject.name,
          start: async flags => {
            const { child, caller } = await startPeer(subject, answers, { tools: [tool], more: 0 }, connections, flags);
            const calls = async (/** @type {number} */ seconds) =>
              (await load(caller, connections, seconds, { call })).calls;
            return { child, call: calls, over: () => closeConnections(caller) };
          },
        })),
    ),
  );
}

/** @returns {Subject[]} */
const createStdioSubjects = () =>
  stdioSubjects
    .filter(({ name }) => NAMES.includes(name) && name !== 'floor')
    .map(subject => ({
      work: `stdio, ${subject.revision}`,
      who: subject.name,
      start: async flags => {
        const { child, pipes } = await startSubject(subject, flags);
        return { child, call: async seconds => (await loadPipes(pipes, IN_FLIGHT, seconds)).calls };
      },
    }));

/** @returns {Subject[]} */
const createMemorySubjects = () =>
  workerSpecs
    .filter(({ name }) => NAMES.includes(name))
    .map(spec => ({
      work: `In one process, ${spec.revision}`,
      who: spec.name,
      start: createStarter(spec, 64),
    }));

/** @param {import('../measure-workers.mjs').WorkerSpec[]} all @returns {Subject[]} */
const createClientSubjects = all =>
  all
    .filter(({ name }) => NAMES.includes(name))
    .map(spec => ({ work: `The client, ${spec.revision}`, who: spec.name, start: createStarter(spec, 16) }));

/** @param {import('../measure-workers.mjs').WorkerSpec} spec @param {number} inFlight @returns {Subject['start']} */
const createStarter = (spec, inFlight) => async flags => {
  const { child, runLoad } = await startWorker(spec, flags);
  return { child, call: async seconds => (await runLoad({ inFlight, seconds })).calls };
};

/** @param {Subject} subject @param {string} file @returns {Promise<Seen>} */
async function look({ work, who, start }, file) {
  const recorder = new URL('recorder.mjs', import.meta.url);
  recorder.searchParams.set('to', file);
  const { child, call, over } = await start(['--import', recorder.href]);
  await call(WARM);
  child.kill('SIGUSR2');
  // Whoever never waits for anything hears of it only while there is nothing to do.
  await setTimeout(200);
  const calls = await call(SECONDS);
  over?.();
  await stop(child);
  return { work, who, calls, profile: JSON.parse(await readFile(file, 'utf8')) };
}

/** @param {Seen} seen */
function summarize({ work, who, calls, profile }) {
  const { owners, functions } = sharesOf(profile);
  const perCall = (/** @type {number} */ took) => took / calls;
  const top = [...functions].sort(([, a], [, b]) => b - a).slice(0, TOP);
  return {
    work,
    who,
    owners: Object.fromEntries(OWNERS.map(owner => [owner, perCall(owners.get(owner) ?? 0)])),
    functions: top.map(([name, took]) => ({ name, took: perCall(took) })),
  };
}

/** @param {readonly Seen[]} seen */
function toMarkdown(seen) {
  const summaries = seen.map(summarize);
  const rows = summaries.map(({ work, who, owners }) => [
    work,
    who,
    formatNumber(Object.values(owners).reduce((sum, took) => sum + took, 0)),
    ...OWNERS.map(owner => formatNumber(owners[owner] ?? 0)),
  ]);
  const own = summaries
    .filter(({ who }) => who === 'tenon')
    .map(({ work, functions }) => [
      work,
      functions.map(({ name, took }) => `\`${name}\` ${formatNumber(took)}`).join(', '),
    ]);
  return [
    heading(2, 'Where the time of a call goes'),
    'Microseconds of the main thread per call, by what was on top of the stack; looking costs a little itself. *System*: what is compiled, reading and writing above all. *Node*: its JavaScript. *Other*: the program that is measured.\n\n',
    table(['work', 'who', 'in all', ...OWNERS], rows),
    '\nThe functions of Tenon that take most, with the small ones that the engine has put into them:\n\n',
    table(['work', 'functions'], own),
  ].join('');
}
