// @ts-check
/** Who is measured in which scenario, how each is set up, and why so. */
import { fileURLToPath } from 'node:url';
import { bin } from '../../scripts/process.mjs';
import { connectOverHttp, connectOverStdio } from '../load.mjs';
import { getPackageFolder } from '../packages.mjs';
import { firstLine, freePort, startNode } from '../processes.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */
/** @typedef {import('../load.mjs').Caller} Caller */
/** What a subject works with in a scenario: the URL of the server behind it, where that is on HTTP. @typedef {{ revision: string, behind: string, url: string | undefined }} SubjectContext */
/** @typedef {{ child: ChildProcess, caller: Caller }} Started */
/** `clientRevision`: the protocol version that is spoken to it, where it is another than that of the scenario. @typedef {{ name: string, mode: string, clientRevision?: string, start: (context: SubjectContext) => Promise<Started> }} Subject */
/** @typedef {{ id: string, title: string, revision: string, overHttp: boolean, subjects: Subject[] }} Scenario */

/** How many calls may be in flight. */
export const IN_FLIGHT = 16;
export const PROTOCOL_VERSIONS = ['2025-11-25', '2026-07-28'];

/** @param {string} name of a package whose command has the same name */
const getProgram = name => bin(name, name, getPackageFolder(name));
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
export const upstream = here('upstream.mjs');

/** The guards of Tenon's gateway. */
const guards = {
  screened: ['tenon', 'as it comes: results screened for hidden characters'],
  bare: ['tenon, screening off', '`screening: false`'],
  ruled: ['tenon, policy', 'ten rules, of which the last fits; screening on'],
  'audited-bare': ['tenon, policy, audit, screening off', 'each call recorded, and on the disk, before it is sent'],
  audited: ['tenon, policy, audit', 'each call recorded, and on the disk, before it is sent; screening on'],
  'audited-batch': ['tenon, policy, audit in batches', "`sync: 'batch'`: on the disk within a second; screening on"],
};

/** @returns {Scenario[]} */
export const createScenarios = () =>
  PROTOCOL_VERSIONS.flatMap(version => [
    createStdioBehindHttp(version),
    createHttpBehindStdio(version),
    createHttpBehindHttp(version),
  ]);

/** @param {string} version @returns {Scenario} */
function createStdioBehindHttp(version) {
  const perRequest = version === '2026-07-28';
  return {
    id: 'stdio-behind-http',
    title: `a server on stdio, put on HTTP, ${version}`,
    revision: version,
    overHttp: false,
    subjects: [
      { name: 'direct', mode: 'the server itself, over its pipes', start: startDirectStdio },
      createFloorSubject('http'),
      ...createTenonSubjects('http', Object.keys(guards)),
      {
        name: 'mcp-proxy',
        mode: perRequest
          ? '`--upstreamProtocol auto`; one server for all'
          : 'sessions, without event store; one server for all',
        start: context => startMcpProxy(context, perRequest ? ['--upstreamProtocol', 'auto'] : ['--no-eventStore']),
      },
      {
        name: 'supergateway',
        mode: perRequest
          ? 'a process for each request, not all of whose CPU is counted: there is no other way'
          : '`--stateful`: a process for each session',
        start: startSupergateway,
      },
    ],
  };
}

/** @param {string} version @returns {Scenario} */
function createHttpBehindStdio(version) {
  const perRequest = version === '2026-07-28';
  const handshake = { clientRevision: '2025-11-25' };
  return {
    id: 'http-behind-stdio',
    title: `a server on HTTP, put on stdio, ${version}`,
    revision: version,
    overHttp: true,
    subjects: [
      { name: 'direct', mode: 'the server itself, over HTTP', start: startDirectHttp },
      createFloorSubject('stdio'),
      ...createTenonSubjects('stdio', ['screened', 'bare', 'audited']),
      ...(perRequest
        ? createTenonSubjects('stdio', ['screened']).map(each => ({
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
        start: context => startMcpRemote(context, perRequest ? ['--protocol', 'auto'] : []),
      },
      ...(perRequest
        ? []
        : [{ name: 'supergateway', mode: '`--streamableHttp … --logLevel none`', start: startSupergatewayOnStdio }]),
    ],
  };
}

/** @param {string} version @returns {Scenario} */
function createHttpBehindHttp(version) {
  return {
    id: 'http-behind-http',
    title: `a server on HTTP, behind HTTP, ${version}`,
    revision: version,
    overHttp: true,
    subjects: [
      { name: 'direct', mode: 'the server itself, over HTTP', start: startDirectHttp },
      {
        name: 'bare proxy',
        mode: 'bare Node: an agent that keeps connections, parses nothing, checks nothing',
        start: context => startOwnProgram('http', [here('proxy.mjs'), context.url ?? ''], context),
      },
      createFloorSubject('http'),
      ...createTenonSubjects('http', ['screened', 'bare', 'ruled', 'audited']),
    ],
  };
}

/** @param {'http' | 'stdio'} transport @param {readonly string[]} chosen @returns {Subject[]} */
function createTenonSubjects(transport, chosen) {
  return chosen.map(guard => {
    const [name = '', mode = ''] = guards[/** @type {keyof typeof guards} */ (guard)];
    return { name, mode, start: context => startTenon(transport, guard, context) };
  });
}

/** @param {'http' | 'stdio'} transport @returns {Subject} */
function createFloorSubject(transport) {
  const start = (/** @type {SubjectContext} */ context) =>
    startOwnProgram(transport, [here('floor.mjs'), createSetup(transport, context)], context);
  return { name: 'floor', mode: 'bare Node: parses, gives ids, checks nothing', start };
}

/** @param {'http' | 'stdio'} transport @param {string} guard @param {SubjectContext} context @returns {Promise<Started>} */
function startTenon(transport, guard, context) {
  return startOwnProgram(transport, [here('tenon.mjs'), createSetup(transport, context, { guard })], context);
}

/** @param {'http' | 'stdio'} transport @param {SubjectContext} context @param {object} [more] */
function createSetup(transport, { behind, url }, more) {
  const server = url === undefined ? { command: process.execPath, args: [upstream, behind] } : { url };
  return JSON.stringify({ transport, server, ...more });
}

/** Our own programs: over HTTP they say where they are. @param {'http' | 'stdio'} transport @param {string[]} args @param {SubjectContext} context @returns {Promise<Started>} */
async function startOwnProgram(transport, args, { revision: version }) {
  const child = startNode(args);
  const caller =
    transport === 'http'
      ? await connectOverHttp(await firstLine(child), version, IN_FLIGHT)
      : await connectOverStdio(child, version, IN_FLIGHT);
  return { child, caller };
}

/** @param {SubjectContext} context @returns {Promise<Started>} */
async function startDirectStdio({ revision: version, behind }) {
  const child = startNode([upstream, behind]);
  return { child, caller: await connectOverStdio(child, version, IN_FLIGHT) };
}

/** The server of the scenario is up already; a second one is started so that each has its own. @param {SubjectContext} context @returns {Promise<Started>} */
async function startDirectHttp({ revision: version, behind }) {
  const child = startNode([upstream, behind, '--http']);
  return { child, caller: await connectOverHttp(await firstLine(child), version, IN_FLIGHT) };
}

/** @param {SubjectContext} context @param {string[]} more @returns {Promise<Started>} */
async function startMcpProxy({ revision: version, behind }, more) {
  const port = await freePort();
  const own = ['--port', String(port), '--host', '127.0.0.1', '--server', 'stream', ...more];
  const child = startNode([getProgram('mcp-proxy'), ...own, '--', process.execPath, upstream, behind], { quiet: true });
  return { child, caller: await connectWithRetries(child, `http://127.0.0.1:${port}/mcp`, version) };
}

/** @param {SubjectContext} context @returns {Promise<Started>} */
async function startSupergateway({ revision: version, behind }) {
  const port = await freePort();
  const command = `${process.execPath} ${upstream} ${behind}`;
  const output = ['--outputTransport', 'streamableHttp', '--stateful', '--port', String(port), '--logLevel', 'none'];
  const child = startNode([getProgram('supergateway'), '--stdio', command, ...output], { quiet: true });
  return { child, caller: await connectWithRetries(child, `http://127.0.0.1:${port}/mcp`, version) };
}

/** @param {SubjectContext} context @returns {Promise<Started>} */
async function startSupergatewayOnStdio({ revision: version, url = '' }) {
  const child = startNode([getProgram('supergateway'), '--streamableHttp', url, '--logLevel', 'none'], { quiet: true });
  return { child, caller: await connectOverStdio(child, version, IN_FLIGHT) };
}

/** @param {SubjectContext} context @param {string[]} more @returns {Promise<Started>} */
async function startMcpRemote({ revision: version, url = '' }, more) {
  const args = [getProgram('mcp-remote'), url, '--transport', 'http-only', '--silent', ...more];
  const child = startNode(args, { quiet: true });
  return { child, caller: await connectOverStdio(child, version, IN_FLIGHT) };
}

/** Tries until it listens; what it writes is not read. @param {ChildProcess} child @param {string} url @param {string} version */
async function connectWithRetries(child, url, version) {
  child.stdout?.resume();
  const end = Date.now() + 30_000;
  for (;;) {
    try {
      return await connectOverHttp(url, version, IN_FLIGHT);
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code !== 'ECONNREFUSED' || child.exitCode !== null || Date.now() > end) throw error;
      await new Promise(resolve => setTimeout(resolve, 100));
    }
  }
}
