// @ts-check
/** The cases of many at once, and when their targets are met. */
import { compare, formatNumber, formatRatio, median } from '../report.mjs';

/** `max`: most times that of the base, or most in its unit where `isAbsolute`. @typedef {{ name: string, unit: string, max: number, isAbsolute?: boolean }} Figure */
/** @typedef {{ id: string, title: string, base: string, about: string, figures: Record<string, Figure> }} Case */
/** @typedef {Record<string, number>} Sample */
/** @typedef {{ id: string, tenon: Sample[], base: Sample[] }} Measured */

/** @type {readonly Case[]} */
export const cases = [
  {
    id: 'clients',
    title: '100 clients open',
    base: 'the same requests by `node:http`',
    about:
      'One process connects to 100 servers on HTTP at once, and keeps the connections open for five seconds. The servers are in another process.',
    figures: {
      cpu: { name: 'CPU to connect', unit: 'ms', max: 3 },
      heap: { name: 'heap of a client', unit: 'KiB', max: 40, isAbsolute: true },
      idle: { name: 'CPU of a second in which nothing happens', unit: 'ms', max: 5, isAbsolute: true },
    },
  },
  {
    id: 'sessions',
    title: '10,000 sessions, a notification a minute each',
    base: 'bare `node:http` that holds the streams',
    about:
      'Each session of 2025-11-25 has an open stream, and watches a resource of its own. Both servers also send a comment to each stream every 15 seconds.',
    figures: {
      cpu: { name: 'CPU of a second', unit: 'ms', max: 2 },
      rss: { name: 'RSS', unit: 'MB', max: 1.25 },
    },
  },
  {
    id: 'gateway',
    title: 'a gateway of 50 servers with 100 tools each',
    base: 'one server of 5,000 tools',
    about:
      'Served on HTTP, with the defaults of a host (screening on); the servers are in the process of the gateway, and the client too.',
    figures: {
      opening: { name: 'CPU from the start to the first list', unit: 'ms', max: 5 },
      listing: { name: 'CPU of a list of all tools', unit: 'ms', max: 1.5 },
      call: { name: 'CPU of a call', unit: 'µs', max: 2 },
      heap: { name: 'heap', unit: 'MB', max: 4 },
    },
  },
  {
    id: 'users',
    title: 'users of a gateway whose server has 1,000 tools',
    base: 'a server of 10 tools',
    about:
      'Each of 100 users lists the tools by requests without a session. Each has a connection of its own from the gateway to the server, which ends when it is unused.',
    figures: {
      open: { name: 'heap of a user with a connection', unit: 'KiB', max: 1.25 },
      left: { name: 'heap of a user after it has ended', unit: 'KiB', max: 1.25 },
    },
  },
  {
    id: 'guarded',
    title: '`tools/list` of 5,000 tools through policy and lock',
    base: 'the same host without them',
    about: 'A host of 50 servers in its process, three rules, and a lock that knows all tools.',
    figures: { listing: { name: 'CPU of a list of all tools', unit: 'ms', max: 1.2 } },
  },
  {
    id: 'bytes',
    title: 'a resource of 50 MB',
    base: 'bare `node:http`',
    about:
      'Server and client in one process, over HTTP. The bytes cross as base64 in JSON, and the client decodes them.',
    figures: {
      cpu: { name: 'CPU', unit: 'ms', max: 1.2 },
      rss: { name: 'more RSS while it crosses', unit: 'MB', max: 1.2 },
    },
  },
  {
    id: 'questions',
    title: '1,000 questions open at once',
    base: 'two calls without a question',
    about:
      'All are open before the first one is answered. Server and client in one process, over HTTP. On 2025-11-25 a question is a request in the stream of the call, on 2026-07-28 a result and a second request.',
    figures: {
      '2025-11-25': { name: 'CPU of a question, 2025-11-25', unit: 'µs', max: 2 },
      '2026-07-28': { name: 'CPU of a question, 2026-07-28', unit: 'µs', max: 2 },
    },
  },
  {
    id: 'signIns',
    title: '1,000 users sign in',
    base: 'the official client v2 at the same servers',
    about:
      'Registration, consent, code with PKCE, token and a call, 16 users at once. The authorization server of `@tenon/issuer`, the protected server, the browsers and the clients are in one process.',
    figures: { cpu: { name: 'CPU of a sign-in', unit: 'ms', max: 1 } },
  },
  {
    id: 'slowStart',
    title: '10 servers whose programs sleep for 2 s',
    base: 'as many bare programs',
    about: 'As processes start on some machines. From `createHost` to the list of all tools.',
    figures: { time: { name: 'time', unit: 'ms', max: 1.25 } },
  },
];

/** @param {string} id @param {Pick<Measured, 'tenon' | 'base'>} measured */
export function judgeCase(id, { tenon, base }) {
  const figures = Object.entries(cases.find(each => each.id === id)?.figures ?? {});
  return figures.map(([key, { name, unit, max, isAbsolute = false }]) => {
    const [values, floor] = [tenon, base].map(samples => samples.map(sample => sample[key] ?? Number.NaN));
    const ratio = compare(values ?? [], floor ?? []);
    const figure = isAbsolute ? median(values ?? []) : ratio.paired;
    return {
      name,
      tenon: `${formatNumber(median(values ?? []))} ${unit}`,
      base: `${formatNumber(median(floor ?? []))} ${unit}`,
      ratio: formatRatio(ratio),
      target: isAbsolute ? `≤ ${max} ${unit}` : `≤ ${max} ×`,
      figure,
      isMet: figure <= max,
    };
  });
}
