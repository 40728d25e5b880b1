// @ts-check
/** Who is measured over HTTP, how each is set up, and why so. The programs are in bench/peers/http. */
import { fileURLToPath } from 'node:url';
import { connectOverHttp } from '../load.mjs';
import { startProgram } from '../measure-servers.mjs';

/** What the calls of a part need: JSON as answers where a peer can choose, or streams. @typedef {'json' | 'stream'} Answers */
/**
 * One peer in one set-up. `revision`: whose floors it is compared with; `clientRevision`: what is spoken to it, where that is
 * another; `mode`: how its program is set up, by what it is to answer with.
 * @typedef {{ name: string, revision: string, clientRevision?: string, program: string, mode: Partial<Record<Answers, string>>, note: string }} Subject
 */
/** Which tools there are, and how many beside them. @typedef {{ tools: string[], more: number }} Offer */

export const PROTOCOL_VERSIONS = ['2025-11-25', '2026-07-28'];
const [sessions = '', perRequest = ''] = PROTOCOL_VERSIONS;
const both = (/** @type {string} */ mode) => ({ json: mode, stream: mode });

/** @type {Subject[]} */
const all = [
  ...PROTOCOL_VERSIONS.flatMap(version => [
    {
      name: 'floor',
      revision: version,
      program: 'floor',
      mode: both(version),
      note: 'bare `node:http`: parses the body, answers canned',
    },
    {
      name: 'checked floor',
      revision: version,
      program: 'checked',
      mode: both(version),
      note:
        version === perRequest
          ? 'bare `node:http`: checks headers against the body, envelope, `_meta` and argument; routes'
          : 'bare `node:http`: checks envelope and argument, looks the session up, routes',
    },
    {
      name: 'tenon',
      revision: version,
      program: 'tenon',
      mode: both(version),
      note: '`serveHttp`, as it comes: every check and bound on, all revisions at once',
    },
  ]),
  {
    name: 'v1 stateless',
    revision: sessions,
    program: 'v1',
    mode: { json: 'stateless-json', stream: 'stateless-sse' },
    note: 'on `node:http`, a server for each request; JSON where it can',
  },
  {
    name: 'v1 stateful',
    revision: sessions,
    program: 'v1',
    mode: { json: 'stateful-json', stream: 'stateful-sse' },
    note: 'on `node:http`, a server for each session; JSON where it can',
  },
  {
    name: 'v2 stateful',
    revision: sessions,
    program: 'v2',
    mode: { json: 'stateful', stream: 'stateful-sse' },
    note: '`NodeStreamableHTTPServerTransport`, a server for each session; JSON where it can',
  },
  {
    name: 'v2',
    revision: sessions,
    program: 'v2',
    mode: both('node'),
    note: '`toNodeHandler(createMcpHandler(…))`: stateless, answers with streams',
  },
  {
    name: 'v2',
    revision: perRequest,
    program: 'v2',
    mode: both('node'),
    note: '`toNodeHandler(createMcpHandler(…))`',
  },
  {
    name: 'v2 on Hono',
    revision: perRequest,
    program: 'v2',
    mode: both('hono'),
    note: '`createMcpHandler(…).fetch` on @hono/node-server',
  },
  {
    name: 'fastmcp stateless',
    revision: sessions,
    program: 'fastmcp',
    mode: { json: 'stateless-json', stream: 'stateless-sse' },
    note: '`stateless`, `enableJsonResponse` where it can',
  },
  {
    name: 'fastmcp stateful',
    revision: sessions,
    program: 'fastmcp',
    mode: both('stateful'),
    note: 'as it comes: sessions, answers with streams',
  },
  {
    name: 'tmcp',
    revision: sessions,
    clientRevision: '2025-06-18',
    program: 'tmcp',
    mode: both('sessions'),
    note: 'sessions on 2025-06-18, its newest that has them; on @hono/node-server',
  },
  { name: 'tmcp', revision: perRequest, program: 'tmcp', mode: both('alone'), note: 'on @hono/node-server' },
  {
    name: 'mcp-lite stateless',
    revision: sessions,
    clientRevision: '2025-06-18',
    program: 'mcp-lite',
    mode: both('stateless'),
    note: '2025-06-18, its newest; no sessions; on @hono/node-server',
  },
  {
    name: 'mcp-lite sessions',
    revision: sessions,
    clientRevision: '2025-06-18',
    program: 'mcp-lite',
    mode: both('sessions'),
    note: '2025-06-18, its newest; sessions in memory; on @hono/node-server',
  },
];

/** `TENON_BENCH_ONLY=floor,tenon` leaves out whose names begin otherwise. @param {Answers} answers */
export function selectSubjects(answers) {
  const only = process.env.TENON_BENCH_ONLY?.split(',');
  return all.filter(({ name, mode }) => mode[answers] && (!only || only.some(start => name.startsWith(start))));
}

/**
 * Starts a peer with these tools, and opens so many connections to it, each with a session of its own.
 * @param {Subject} subject @param {Answers} answers @param {Offer} offer @param {number} connections
 * @param {readonly string[]} [flags] of Node
 * @returns {Promise<{ child: import("node:child_process").ChildProcess, caller: import("../load.mjs").Caller }>}
 */
export async function startPeer(subject, answers, offer, connections, flags = []) {
  const { revision: version, clientRevision: clientVersion = version, program, mode } = subject;
  const script = fileURLToPath(new URL(`../peers/http/${program}.mjs`, import.meta.url));
  const setup = JSON.stringify({ mode: mode[answers], ...offer });
  const { child, url } = await startProgram([...flags, script, setup]);
  const tools = [...offer.tools, ...Array.from({ length: offer.more }, (_, at) => `find_${at}`)];
  return { child, caller: await connectOverHttp(url, clientVersion, connections, { tools, sessions: 'each' }) };
}
