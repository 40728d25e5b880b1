// @ts-check
/** Who is measured in which scene, how each is set up, and why so. */
import { fileURLToPath } from 'node:url';
import { bin } from '../../scripts/process.mjs';
import { callOverHttp, callOverStdio } from '../load.mjs';
import { firstLine, freePort, startNode } from '../processes.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {import('../load.mjs').Caller} Caller */
/** What a subject works with in a scene: the URL of the server behind it, where that is on HTTP. @typedef {{ revision: string, behind: string, url: string | undefined }} Place */
/** @typedef {{ child: ChildProcess, caller: Caller }} Started */
/** `front`: the revision that is spoken to it, where it is another than that of the scene. @typedef {{ name: string, mode: string, front?: string, start: (place: Place) => Promise<Started> }} Subject */
/** @typedef {{ id: string, title: string, revision: string, overHttp: boolean, subjects: Subject[] }} Scene */

/** How many calls may be in flight. */
export const LANES = 16;
export const REVISIONS = ['2025-11-25', '2026-07-28'];

const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
export const upstream = here('upstream.mjs');

/** The guards of Tenon's gateway. */
const guards = {
  screened: ['tenon', 'as it comes: results screened for hidden characters'],
  bare: ['tenon, screening off', '`screen: false`'],
  ruled: ['tenon, policy', 'ten rules, of which the last fits; screening on'],
  'audited-bare': ['tenon, policy, audit, screening off', 'each call recorded, and on the disk, before it is sent'],
  audited: ['tenon, policy, audit', 'each call recorded, and on the disk, before it is sent; screening on'],
  'audited-batch': ['tenon, policy, audit in batches', "`sync: 'batch'`: on the disk within a second; screening on"],
};

/** @returns {Scene[]} */
export const scenes = () => REVISIONS.flatMap(revision => [fromPipe(revision), ontoPipe(revision), fromHttp(revision)]);

/** @param {string} revision @returns {Scene} */
function fromPipe(revision) {
  const perRequest = revision === '2026-07-28';
  return {
    id: 'stdio-behind-http',
    title: `a server on stdio, put on HTTP, ${revision}`,
    revision,
    overHttp: false,
    subjects: [
      { name: 'direct', mode: 'the server itself, over its pipes', start: direct },
      floor('http'),
      ...tenon('http', Object.keys(guards)),
      {
        name: 'mcp-proxy',
        mode: perRequest
          ? '`--upstreamProtocol auto`; one server for all'
          : 'sessions, without event store; one server for all',
        start: place => mcpProxy(place, perRequest ? ['--upstreamProtocol', 'auto'] : ['--no-eventStore']),
      },
      {
        name: 'supergateway',
        mode: perRequest
          ? 'a process for each request, not all of whose CPU is counted: there is no other way'
          : '`--stateful`: a process for each session',
        start: supergateway,
      },
    ],
  };
}

/** @param {string} revision @returns {Scene} */
function ontoPipe(revision) {
  const perRequest = revision === '2026-07-28';
  const handshake = { front: '2025-11-25' };
  return {
    id: 'http-behind-stdio',
    title: `a server on HTTP, put on stdio, ${revision}`,
    revision,
    overHttp: true,
    subjects: [
      { name: 'direct', mode: 'the server itself, over HTTP', start: directly },
      floor('stdio'),
      ...tenon('stdio', ['screened', 'bare', 'audited']),
      ...(perRequest
        ? tenon('stdio', ['screened']).map(each => ({
            ...each,
            ...handshake,
            name: 'tenon, 2025-11-25 in front',
            mode: 'as mcp-remote has it',
          }))
        : []),
      {
        name: 'mcp-remote',
        mode: perRequest
          ? '`--protocol auto`; 2025-11-25 in front: it has no other'
          : '`--transport http-only --silent`',
        ...(perRequest ? handshake : {}),
        start: place => mcpRemote(place, perRequest ? ['--protocol', 'auto'] : []),
      },
      ...(perRequest
        ? []
        : [{ name: 'supergateway', mode: '`--streamableHttp … --logLevel none`', start: supergatewayOnPipe }]),
    ],
  };
}

/** @param {string} revision @returns {Scene} */
function fromHttp(revision) {
  return {
    id: 'http-behind-http',
    title: `a server on HTTP, behind HTTP, ${revision}`,
    revision,
    overHttp: true,
    subjects: [
      { name: 'direct', mode: 'the server itself, over HTTP', start: directly },
      floor('http'),
      ...tenon('http', ['screened', 'bare', 'ruled', 'audited']),
    ],
  };
}

/** @param {'http' | 'stdio'} front @param {readonly string[]} chosen @returns {Subject[]} */
function tenon(front, chosen) {
  return chosen.map(guard => {
    const [name = '', mode = ''] = guards[/** @type {keyof typeof guards} */ (guard)];
    return { name, mode, start: place => startTenon(front, guard, place) };
  });
}

/** @param {'http' | 'stdio'} front @returns {Subject} */
function floor(front) {
  const start = (/** @type {Place} */ place) => started(front, [here('floor.mjs'), setupOf(front, place)], place);
  return { name: 'floor', mode: 'bare Node: parses, gives ids, checks nothing', start };
}

/** @param {'http' | 'stdio'} front @param {string} guard @param {Place} place @returns {Promise<Started>} */
function startTenon(front, guard, place) {
  return started(front, [here('tenon.mjs'), setupOf(front, place, { guard })], place);
}

/** @param {'http' | 'stdio'} front @param {Place} place @param {object} [more] */
function setupOf(front, { behind, url }, more) {
  const server = url === undefined ? { command: process.execPath, args: [upstream, behind] } : { url };
  return JSON.stringify({ front, server, ...more });
}

/** Our own programs: over HTTP they say where they are. @param {'http' | 'stdio'} front @param {string[]} args @param {Place} place @returns {Promise<Started>} */
async function started(front, args, { revision }) {
  const child = startNode(args);
  const caller =
    front === 'http'
      ? await callOverHttp(await firstLine(child), revision, LANES)
      : await callOverStdio(child, revision, LANES);
  return { child, caller };
}

/** @param {Place} place @returns {Promise<Started>} */
async function direct({ revision, behind }) {
  const child = startNode([upstream, behind]);
  return { child, caller: await callOverStdio(child, revision, LANES) };
}

/** The server of the scene is up already; a second one is started so that each has its own. @param {Place} place @returns {Promise<Started>} */
async function directly({ revision, behind }) {
  const child = startNode([upstream, behind, '--http']);
  return { child, caller: await callOverHttp(await firstLine(child), revision, LANES) };
}

/** @param {Place} place @param {string[]} more @returns {Promise<Started>} */
async function mcpProxy({ revision, behind }, more) {
  const port = await freePort();
  const own = ['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', ...more];
  const child = startNode([bin('mcp-proxy'), ...own, '--', process.execPath, upstream, behind], { quiet: true });
  return { child, caller: await reached(child, `http://127.0.0.1:${port}/mcp`, revision) };
}

/** @param {Place} place @returns {Promise<Started>} */
async function supergateway({ revision, behind }) {
  const port = await freePort();
  const command = `${process.execPath} ${upstream} ${behind}`;
  const output = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'];
  const child = startNode([bin('supergateway'), '--stdio', command, ...output], { quiet: true });
  return { child, caller: await reached(child, `http://127.0.0.1:${port}/mcp`, revision) };
}

/** @param {Place} place @returns {Promise<Started>} */
async function supergatewayOnPipe({ revision, url = '' }) {
  const child = startNode([bin('supergateway'), '--streamableHttp', url, '--logLevel', 'none'], { quiet: true });
  return { child, caller: await callOverStdio(child, revision, LANES) };
}

/** @param {Place} place @param {string[]} more @returns {Promise<Started>} */
async function mcpRemote({ revision, url = '' }, more) {
  const args = [bin('mcp-remote', 'mcp-remote'), url, '--transport', 'http-only', '--silent', ...more];
  const child = startNode(args, { quiet: true });
  return { child, caller: await callOverStdio(child, revision, LANES) };
}

/** Tries until it listens; what it writes is not read. @param {ChildProcess} child @param {string} url @param {string} revision */
async function reached(child, url, revision) {
  child.stdout?.resume();
  const end = Date.now() + 30_000;
  for (;;) {
    try {
      return await callOverHttp(url, revision, LANES);
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code !== 'ECONNREFUSED' || child.exitCode !== null || Date.now() > end) throw error;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  }
}
