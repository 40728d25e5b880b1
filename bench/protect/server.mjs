// @ts-check
/**
 * Tenon behind tokens. The argument has `mode`: `none` looks at no token, `map` looks the Authorization header up in a map as
 * the least that could be done, `protect` verifies tokens of `issuer` by its `jwks`.
 */
import { createServer, tool } from 'tenon';
import { protect } from 'tenon/auth';
import { serveHttp } from 'tenon/node';
import { z } from 'zod';

const { mode, issuer, resource, jwks, token } = JSON.parse(process.argv[2] ?? '');
const server = createServer({
  name: 'bench',
  version: '1.0.0',
  tools: { echo: tool({ description: 'Echo', input: z.object({ text: z.string() }), run: ({ text }) => text }) },
});

const callers = new Map([[`Bearer ${token}`, { auth: { principal: `${issuer}|ada` } }]]);

/** @type {Record<string, import('tenon/node').ServeHttpOptions>} */
const modes = {
  none: {},
  map: { authorize: request => callers.get(request.header('authorization') ?? '') ?? { status: 401 } },
  protect: { auth: protect({ resource, issuers: [{ issuer, jwksUri: `${issuer}/jwks` }], fetch: fetchKeys }) },
};

const { url } = await serveHttp(server, { port: 0, ...modes[mode] });
console.log(url);

async function fetchKeys() {
  return new Response(JSON.stringify(jwks), { headers: { 'content-type': 'application/json' } });
}
