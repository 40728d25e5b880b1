// @ts-check
/**
 * A second way to measure, which shares only the output with the first: floors that are written as a reader would write them
 * at first, windows of a fixed number of calls, and pairs of windows, floor and Tenon one after the other. Where the two ways
 * disagree, one of them is wrong.
 */
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compare, formatRatio, heading, median, range, table } from '../report.mjs';

/** @typedef {{ [key: string]: any }} Json */
/** `run`: makes that many calls, and resolves with the CPU of a call in microseconds. @typedef {{ run: (calls: number) => Promise<number>, end: () => void }} Subject */
/** @typedef {{ work: string, floor: string, calls: number, open: () => Promise<[floor: Subject, tenon: Subject]> }} Pair */

const IN_FLIGHT = 64;
const VERSIONS = ['2025-11-25', '2026-07-28'];
const PREFIX = 'io.modelcontextprotocol/';
const MICRO = 1_000_000;
/** The clock of /proc, in ticks per second. */
const TICKS = 100;
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** @param {{ rounds: number }} options */
export async function measureCrosscheck({ rounds }) {
  const results = [];
  for (const { work, floor, calls, open } of createPairs()) {
    const subjects = await open();
    const found = /** @type {[number[], number[]]} */ ([[], []]);
    try {
      for (const subject of subjects) await subject.run(calls);
      for (const subject of subjects) await subject.run(calls);
      for (let round = 0; round < rounds; round += 1)
        for (const at of round % 2 === 0 ? [0, 1] : [1, 0])
          found[at]?.push((await subjects[at]?.run(calls)) ?? Number.NaN);
    } finally {
      for (const subject of subjects) subject.end();
    }
    results.push({ work, floor, floorCpu: found[0], tenonCpu: found[1], ratio: compare(found[1], found[0]) });
  }
  return { results, markdown: toMarkdown(results, rounds) };
}

/** @returns {Pair[]} */
function createPairs() {
  return [
    ...VERSIONS.map(version => ({
      work: `stdio, ${IN_FLIGHT} in flight, ${version}`,
      floor: '`readline`, `JSON.parse`, and a write for each response',
      calls: 40_000,
      open: async () =>
        /** @type {[Subject, Subject]} */ ([
          await openStdio(here('stdio-floor.mjs'), version),
          await openStdio(here('../peers/stdio/tenon.mjs'), version),
        ]),
    })),
    ...VERSIONS.map(version => ({
      work: `in memory, ${IN_FLIGHT} in flight, ${version}`,
      floor: 'references, a map of pending calls, a map of tools, and a turn for each side',
      calls: 100_000,
      open: async () =>
        /** @type {[Subject, Subject]} */ ([
          await openWorker(here('memory-floor.mjs'), [version], IN_FLIGHT),
          await openWorker(here('memory-tenon.mjs'), [version], IN_FLIGHT),
        ]),
    })),
    ...[1, 16].flatMap(inFlight =>
      VERSIONS.map(version => ({
        work: `client over HTTP, ${inFlight} in flight, ${version}`,
        floor: '`node:http`, one request for each call',
        calls: 3_000,
        open: () => openClients(version, inFlight),
      })),
    ),
  ];
}

/** @param {string} version @param {number} inFlight @returns {Promise<[Subject, Subject]>} */
async function openClients(version, inFlight) {
  const server = spawn(process.execPath, [here('http-server.mjs'), version], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(server.stdout, 'data');
  const url = String(line).trim();
  const floor = await openWorker(here('client-floor.mjs'), [version, url], inFlight);
  const tenon = await openWorker(here('client-tenon.mjs'), [version, url], inFlight);
  const end = () => {
    tenon.end();
    server.kill();
  };
  return [floor, { ...tenon, end }];
}

/** A process that calls, and measures itself. @param {string} script @param {string[]} args @param {number} inFlight @returns {Promise<Subject>} */
async function openWorker(script, args, inFlight) {
  const child = fork(script, args);
  await once(child, 'message');
  return {
    async run(calls) {
      child.send({ calls, inFlight });
      const [cpu] = await once(child, 'message');
      return cpu;
    },
    end: () => void child.kill(),
  };
}

/** A server on pipes, whose CPU the system has counted. @param {string} script @param {string} version @returns {Promise<Subject>} */
async function openStdio(script, version) {
  const child = spawn(process.execPath, [script, version], { stdio: ['pipe', 'pipe', 'inherit'] });
  const { stdin, stdout } = child;
  stdout.setEncoding('utf8');
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
  const meta = {
    [`${PREFIX}protocolVersion`]: version,
    [`${PREFIX}clientInfo`]: clientInfo,
    [`${PREFIX}clientCapabilities`]: capabilities,
  };
  const isStateless = version === '2026-07-28';
  const more = isStateless ? `,"_meta":${JSON.stringify(meta)}` : '';
  let lastId = 0;
  if (!isStateless) {
    const params = { protocolVersion: version, capabilities, clientInfo };
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method: 'initialize', params })}\n`);
    await once(stdout, 'data');
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  }
  /** @param {number} count */
  const send = count => {
    let text = '';
    for (let n = 0; n < count; n += 1) {
      lastId += 1;
      text += `{"jsonrpc":"2.0","id":${lastId},"method":"tools/call","params":{"name":"echo","arguments":{"text":"call ${lastId}"}${more}}}\n`;
    }
    stdin.write(text);
  };
  return {
    async run(calls) {
      const before = readTicks(/** @type {number} */ (child.pid));
      let [sent, answered, rest] = [IN_FLIGHT, 0, ''];
      send(IN_FLIGHT);
      await new Promise((resolve, reject) => {
        const finish = (/** @type {Error | undefined} */ error) => {
          stdout.off('data', take);
          if (error) reject(error);
          else resolve(undefined);
        };
        const take = (/** @type {string} */ chunk) => {
          const lines = (rest + chunk).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            const { id, result } = JSON.parse(line);
            if (result?.content?.[0]?.text !== `call ${id}`) return finish(new Error(`unexpected response: ${line}`));
          }
          answered += lines.length;
          if (answered >= calls) return finish(undefined);
          const next = Math.min(lines.length, calls - sent);
          sent += next;
          if (next > 0) send(next);
        };
        stdout.on('data', take);
      });
      return ((readTicks(/** @type {number} */ (child.pid)) - before) / TICKS / calls) * MICRO;
    },
    end: () => void child.kill(),
  };
}

/** Time of user and system of a process. @param {number} pid */
function readTicks(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

/** @param {{ work: string, floor: string, floorCpu: number[], tenonCpu: number[], ratio: import('../report.mjs').Ratio }[]} results @param {number} rounds */
function toMarkdown(results, rounds) {
  const rows = results.map(({ work, floor, floorCpu, tenonCpu, ratio }) => [
    work,
    range(floorCpu),
    range(tenonCpu),
    formatRatio(ratio),
    median(tenonCpu) < median(floorCpu) ? 'less than the floor' : '',
    floor,
  ]);
  return [
    heading(2, 'The same calls, measured a second way'),
    `Plain floors, windows of a fixed number of calls, floor and Tenon in turn. ${rounds} pairs; CPU per call in microseconds, medians, and in brackets from least to most. On 2026-07-28 each request has the three members of \`_meta\`, with the capabilities of a client that answers all input requests. Tenon joins the responses of one turn into one write, which the floor on stdio does not.\n\n`,
    table(['work', 'floor', 'Tenon', '× floor', '', 'the floor'], rows),
  ].join('');
}
