import type { AuthInfo } from '@tenon/base';
import { afterEach, describe, expect, it } from 'vitest';
import { createServer, tool } from '../../../index.js';
import { alone, runtimes, type Site } from '../fixtures/sites.js';
import type { AuthorizeResult } from './options.js';

describe.each(runtimes)('the results of `authorize` over $name', ({ open }) => {
  let site: Site;
  afterEach(() => site.close({ timeout: 0 }));

  /** Calls a tool that needs a scope, with a result of `authorize` that may have a wrong type. */
  const call = async (result: unknown) => {
    const reported: unknown[] = [];
    const wipe = tool({ scopes: ['notes:write'], run: () => 'wiped' });
    site = await open(createServer({ name: 's', version: '1', tools: { wipe } }), {
      authorize: () => result as AuthorizeResult,
      onError: error => void reported.push(error),
    });
    return { response: await site.send('/mcp', alone('tools/call', { name: 'wipe' })), reported };
  };

  it.each([
    ['scopes that are a text', { auth: { principal: 'ada', scopes: 'notes:write-own' } }, 'at auth/scopes'],
    ['a scope that is no text', { auth: { principal: 'ada', scopes: [7] } }, 'at auth/scopes/0'],
    ['no principal', { auth: { sub: 'ada', scopes: ['notes:write'] } }, 'at auth/principal'],
    ['an empty principal', { auth: { principal: '', scopes: ['notes:write'] } }, 'at auth/principal'],
    ['a principal that is no text', { auth: { principal: 5, scopes: ['notes:write'] } }, 'at auth/principal'],
    ['null as caller', { auth: null }, 'at auth'],
    ['nothing', undefined, 'got nothing'],
    ['null', null, 'got null'],
    ['a text', 'no', 'got a string'],
    ['false', false, 'got a boolean'],
    ['neither a caller nor a status', {}, 'got an object with neither of them'],
    ['an unknown status', { status: 99 }, 'at status'],
    ['a status that is no number', { status: 'x' }, 'at status'],
    ['a body that is no text', { status: 401, body: { error: 'x' } }, 'at body'],
    ['a `Response`', new Response('x', { status: 401, headers: { 'www-authenticate': 'Bearer' } }), 'at headers'],
    ['a header that is not Latin-1', { status: 401, headers: { 'www-authenticate': '☕' } }, 'at headers'],
    ['a header with a line break', { auth: { principal: 'ada' }, headers: { 'x-user': 'a\nb' } }, 'at headers/x-user'],
    ['a name that no header can have', { status: 401, headers: { 'a b': '' } }, 'at headers'],
  ])('refuses a request with 500, and reports %s', async (_, result, reason) => {
    const { response, reported } = await call(result);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ error: { code: -32603, message: 'Internal error' } });
    const message = expect.stringMatching(/result of `authorize`/);
    expect(reported).toEqual([expect.objectContaining({ code: 'auth/caller', message })]);
    expect(String(reported[0])).toContain(reason);
  });

  it('accepts a caller without scopes, and passes the headers on', async () => {
    const { response, reported } = await call({ auth: { principal: 'ada' }, headers: { 'x-user': 'Añe' } });
    expect(response.status).toBe(403);
    expect(response.headers.get('x-user')).toBe('Añe');
    expect(reported).toEqual([]);
  });

  it('accepts an anonymous caller, and a caller with the scope', async () => {
    expect((await call({ auth: undefined })).response.status).toBe(403);
    await site.close({ timeout: 0 });
    const auth: AuthInfo = { principal: 'ada', scopes: ['notes:write'] };
    expect(await (await call({ auth })).response.text()).toContain('wiped');
  });
});
