/** Signing in is for HTTP: what speaks over pipes or in the same process has its credentials from who started it. */
import { fileURLToPath } from 'node:url';
import { connect, createServer, type StdioTarget, tool } from 'tenon';
import { type Authorizer, clientCredentials } from 'tenon/auth';
import { expect, it } from 'vitest';

/** Client credentials that say when somebody asks for anything of theirs. */
function watched() {
  const requests: string[] = [];
  const auth = clientCredentials({ id: 'nightly', secret: 'hush', fetch: async url => Promise.reject(new Error(url)) });
  const watching = new Proxy<Authorizer>(auth, {
    get(target, name) {
      requests.push(String(name));
      return Reflect.get(target, name);
    },
  });
  return { requests, auth: watching };
}

it('signs in over HTTP only, and declares nothing over stdio [ext-client-credentials.http-only, auth.stdio-from-environment]', async () => {
  const { requests, auth } = watched();
  const script = fileURLToPath(new URL('fixtures/declared.mjs', import.meta.url));
  const target: StdioTarget = { command: process.execPath, args: [script] };
  // @ts-expect-error There is no such option where there is a command.
  const wrong: StdioTarget = { ...target, auth };
  await expect(connect(wrong)).rejects.toMatchObject({ message: expect.stringContaining('unknown key "auth"') });
  const client = await connect(target, { protocolVersion: '2025-11-25' });
  const { content } = await client.callTool('declared');
  expect(content).toEqual([{ type: 'text', text: '{}' }]);
  await client.close();
  expect(requests).toEqual([]);
});

it('signs in over HTTP only, and declares nothing in memory', async () => {
  const { requests, auth } = watched();
  const server = createServer({
    name: 'notes',
    version: '1',
    tools: { declared: tool({ run: (_, { client }) => JSON.stringify(client.capabilities.extensions ?? {}) }) },
  });
  const client = await connect(Object.assign(server, { auth }));
  const { content } = await client.callTool('declared');
  expect(content).toEqual([{ type: 'text', text: expect.not.stringContaining('oauth-client-credentials') }]);
  await client.close();
  expect(requests).toEqual([]);
});
