// @ts-check
/** The official conformance suite, in both of its versions: what it has, how it is run, and what it says. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bin } from '../../scripts/process.mjs';
import { runtimes } from '../../scripts/runtimes.mjs';
import { finish, serve } from './children.mjs';

/** @typedef {{ id: string, status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED', errorMessage?: string }} Check */
/**
 * Outcome of one scenario. `error` is a failure outside of its checks.
 * @typedef {{ scenario: string, checks: Check[], error?: string | undefined }} Outcome
 */
/** @typedef {{ name: string, windows: string[] }} Scenario */

const fixture = (/** @type {string} */ name) => fileURLToPath(new URL(`fixtures/start-${name}.mjs`, import.meta.url));
/** Longer than the suite gives one scenario. */
const CLIENT_TIMEOUT = 45_000;
const SERVER_TIMEOUT = 180_000;

/** The suite needs a newer Node than the library does. @param {'@modelcontextprotocol/conformance' | 'conformance-stable'} version */
export function openSuite(version) {
  const cli = bin(version);

  /** @param {string[]} args @param {number} timeout */
  const run = (args, timeout) => finish(runtimes.node24, [cli, ...args], timeout);

  return {
    /**
     * The scenarios of one side.
     * @param {'server' | 'client'} side
     * @param {readonly string[]} [filter]
     * @returns {Promise<Scenario[]>}
     */
    async list(side, filter = []) {
      const { output } = await run(['list', ...filter], SERVER_TIMEOUT);
      const found = scenariosIn(output, side);
      if (found.length === 0) throw new Error(`the suite lists no scenarios: ${output}`);
      return found;
    },

    /**
     * Lets the suite call a fresh server fixture, or the gateway in front of one.
     * @param {'server' | 'gateway'} called
     * @param {readonly Scenario[]} expected
     * @param {readonly string[]} args
     * @param {string} folder
     * @returns {Promise<Outcome[]>}
     */
    async callServer(called, expected, args, folder) {
      await mkdir(folder, { recursive: true });
      const { address, stop } = await serve(process.execPath, [fixture(called), '--port', '0']);
      try {
        const { output } = await run(['server', '--url', address, '-o', folder, ...args], SERVER_TIMEOUT);
        return await Promise.all(
          expected.map(async ({ name }) => {
            const checks = await checksIn(folder, `server-${name}-`);
            return {
              scenario: name,
              checks,
              error: checks.length > 0 ? undefined : `not run: ${output.slice(-500)}`,
            };
          }),
        );
      } finally {
        await stop();
      }
    },

    /**
     * Lets the suite watch the client fixture in one scenario.
     * @param {Scenario} scenario
     * @param {readonly string[]} args
     * @param {string} folder
     * @returns {Promise<Outcome>}
     */
    async watchClient({ name }, args, folder) {
      await mkdir(folder, { recursive: true });
      const command = `${process.execPath} ${fixture('client')}`;
      const all = ['client', '--command', command, '--scenario', name, '-o', folder, ...args];
      const { code, output } = await run(all, CLIENT_TIMEOUT);
      const error = code === 0 ? undefined : `exit code ${code}: ${complaint(output)}`;
      return { scenario: name, checks: await checksIn(folder, ''), error };
    },
  };
}

/** What the client itself said, if it said anything. @param {string} output */
function complaint(output) {
  const [, text] = /Stderr:\n([^\n]+)/.exec(output) ?? [];
  return text ?? output.slice(-500);
}

const SECTIONS = [
  { starts: 'Server scenarios', side: 'server' },
  { starts: 'Client scenarios', side: 'client' },
];

/** @param {string} output @param {'server' | 'client'} side @returns {Scenario[]} */
function scenariosIn(output, side) {
  let section = '';
  const found = [];
  for (const line of output.split('\n')) {
    const heading = /^\S/.test(line) ? line : undefined;
    if (heading !== undefined) section = SECTIONS.find(({ starts }) => heading.startsWith(starts))?.side ?? '';
    const [, name, notes = ''] = /^\s+- (\S+)(?: \[(.*)\])?$/.exec(line) ?? [];
    // What is run but not scored is listed apart, each with its side.
    if (name !== undefined && (section === side || notes === side)) found.push({ name, windows: notes.split(',') });
  }
  return found;
}

/** @param {string} folder @param {string} prefix @returns {Promise<Check[]>} */
async function checksIn(folder, prefix) {
  const files = existsSync(folder) ? await readdir(folder, { recursive: true }) : [];
  // Behind the name of the scenario stands the time.
  const file = files.find(
    each =>
      each.endsWith('checks.json') &&
      each.startsWith(prefix) &&
      (prefix === '' || /^\d{4}-/.test(each.slice(prefix.length))),
  );
  return file === undefined ? [] : JSON.parse(await readFile(join(folder, file), 'utf8'));
}
