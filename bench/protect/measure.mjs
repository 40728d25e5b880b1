// @ts-check
/** What `protect` adds to a call whose token was verified before. */
import { fileURLToPath } from 'node:url';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { connectOverHttp, echo } from '../load.mjs';
import { measureServers, startProgram } from '../measure-servers.mjs';
import { formatNumber, formatRatios, heading, median, RATIOS_NOTE, range, table } from '../report.mjs';

const VERSION = '2026-07-28';
const ISSUER = 'https://login.example.com';
const RESOURCE = 'http://127.0.0.1/mcp';
const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

/** How a server looks at the token, and what that shows. */
const MODES = [
  { mode: 'none', name: 'no authorization', note: 'the token is sent all the same' },
  { mode: 'map', name: 'a map', note: '`authorize` looks the header up in a map: the floor' },
  { mode: 'protect', name: '`protect`', note: 'the token was verified before' },
];

/** @param {{ rounds: number, connections: number }} options */
export async function measureProtect({ rounds, connections }) {
  const { token, jwks } = await issueToken();
  const setup = { issuer: ISSUER, resource: RESOURCE, jwks, token };
  const headers = `Authorization: Bearer ${token}\r\n`;
  const measured = await measureServers(
    MODES,
    async ({ mode }) => {
      const { child, url } = await startProgram([SERVER, JSON.stringify({ ...setup, mode })]);
      return { child, caller: await connectOverHttp(url, VERSION, connections, { headers }) };
    },
    rounds,
    () => [{ id: 'call', call: echo, inFlight: connections, seconds: 1.2, warmUp: { most: 10_000, seconds: 4 } }],
  );
  const results = measured.map(({ name, note, samples }) => ({ name, note, samples: samples.call ?? [] }));
  return { results: { characters: token.length, measured: results }, markdown: toMarkdown(results, token.length) };
}

/** An access token as large as those of issuers that put roles into it. */
async function issueToken() {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: ISSUER,
    sub: 'ada',
    aud: RESOURCE,
    iat: now,
    exp: now + 86_400,
    scope: 'notes:read notes:write',
  };
  const token = await new SignJWT({ ...claims, roles: Array.from({ length: 10 }, (_, at) => `role-${at}`) })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: 'k1' })
    .sign(privateKey);
  return { token, jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] } };
}

/** @param {{ name: string, note: string, samples: import('../measure-servers.mjs').Sample[] }[]} measured @param {number} characters */
function toMarkdown(measured, characters) {
  const [base] = measured;
  const rows = measured.map(({ name, note, samples }) => {
    const added = samples.map(({ cpu }, round) => cpu - (base?.samples[round]?.cpu ?? Number.NaN));
    return [
      name,
      range(samples.map(({ cpu }) => cpu)),
      formatNumber(median(added)),
      formatRatios(samples, base?.samples, 'cpu'),
      note,
    ];
  });
  return [
    heading(2, 'What `protect` adds to a call'),
    `Calls of a tool on ${VERSION} with one access token of ${characters} characters, which was verified before. ${RATIOS_NOTE} What is added is the median of the differences of each round.\n\n`,
    table(['server', 'CPU, µs', 'added, µs', '× no authorization', 'about'], rows),
  ].join('');
}
