/** Our side of a sign-in with the official SDK v2 on the other, and an authorization server of others. */
import type { ClientOptions, StoredOAuthClientInformation as Registered } from '@modelcontextprotocol/client';
import { connect } from 'tenon';
import { signIn } from 'tenon/auth';
import { afterEach, describe, expect, it } from 'vitest';
import { startOfficialNotes } from './official-notes.js';
import { createOfficialClient } from './official-visitor.js';
import { LIFE, movableClock, startProtectedNotes, textOf } from './protected-notes.js';
import { scriptedRedirect } from './scripted-browser.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The official client, and what it visits. */
async function visit(options: ClientOptions, register?: (issuer: string, redirectUri: string) => Promise<Registered>) {
  const notes = await startProtectedNotes();
  closing.push(notes.close);
  const { redirect, pages } = scriptedRedirect();
  const byHand = register && ((uri: string) => register(notes.issuer.url, uri));
  const visitor = await createOfficialClient(notes.url, redirect, { ...options, ...(byHand && { register: byHand }) });
  closing.push(visitor.close);
  return { notes, visitor, pages };
}

/** A client that may ask for any scope. */
async function registeredAt(issuer: string, redirectUri: string): Promise<Registered> {
  const client = {
    redirect_uris: [redirectUri],
    application_type: 'native',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${issuer}/reg`, { method: 'POST', headers, body: JSON.stringify(client) });
  const { client_id } = (await response.json()) as { client_id: string };
  return { client_id, issuer };
}

describe('the official client with our protected server', () => {
  const modes: [string, ClientOptions, string][] = [
    ['with a session', {}, '2025-11-25'],
    ['with requests that stand alone', { versionNegotiation: { mode: { pin: '2026-07-28' } } }, '2026-07-28'],
    ['as both agree', { versionNegotiation: { mode: 'auto' } }, '2026-07-28'],
  ];

  it.each(modes)(
    'signs in, calls and refreshes %s',
    async (_, options, version) => {
      const { notes, visitor, pages } = await visit(options);
      const { issuer } = notes;
      await visitor.connect();
      expect(visitor.client.getNegotiatedProtocolVersion()).toBe(version);
      expect(await textOf(visitor.call('who'))).toBe(`${issuer.url}|ada`);
      expect([issuer.count('/auth'), issuer.count('/reg'), issuer.count('/token')]).toEqual([1, 1, 1]);
      expect(visitor.requests).toEqual([expect.stringContaining('notes:read')]);
      expect(visitor.requests[0]).not.toContain('notes:write');

      issuer.life = 3 * LIFE;
      notes.clock.ahead = 2 * LIFE * 1_000;
      expect(await textOf(visitor.call('who'))).toBe(`${issuer.url}|ada`);
      expect([issuer.count('/auth'), issuer.count('/token')]).toEqual([1, 2]);
      expect(visitor.saved.map(tokens => tokens.refresh_token !== undefined)).toEqual([true, true]);
      expect(pages.join()).toContain('You can close this page');
    },
    60_000,
  );

  // Where it registers itself, then for the scopes of the first challenge alone, and this issuer holds it to them.
  it.each(modes)(
    'steps up %s',
    async (_, options) => {
      const { notes, visitor } = await visit(options, registeredAt);
      const { issuer } = notes;
      await visitor.connect();
      expect(await textOf(visitor.call('who'))).toBe(`${issuer.url}|ada`);
      expect(await textOf(visitor.call('write'))).toBe('written');
      expect(visitor.requests).toHaveLength(2);
      expect(visitor.requests[1]?.split(' ')).toEqual(expect.arrayContaining(['notes:read', 'notes:write']));
      expect(await textOf(visitor.call('write'))).toBe('written');
      expect(await textOf(visitor.call('who'))).toBe(`${issuer.url}|ada`);
      expect([issuer.count('/auth'), issuer.count('/reg')]).toEqual([2, 1]);
    },
    60_000,
  );
});

describe('our client with a protected server of the official SDK', () => {
  it.each(['2026-07-28', '2025-11-25'])(
    'signs in, calls, refreshes, steps up and signs out on %s',
    async protocolVersion => {
      const notes = await startOfficialNotes();
      closing.push(notes.close);
      const { issuer, refused } = notes;
      const { redirect, pages } = scriptedRedirect();
      const clock = movableClock();
      const auth = signIn({ redirect, clock, clientName: 'tests' });
      const client = await connect({ url: notes.url, auth }, { protocolVersion });
      closing.push(() => client.close());
      expect(client.server.protocolVersion).toBe(protocolVersion);
      expect(await textOf(client.callTool('who'))).toBe('ada');
      expect([issuer.count('/auth'), issuer.count('/reg'), issuer.count('/token')]).toEqual([1, 1, 1]);
      expect(refused.splice(0)).toEqual(['401 invalid_token']);

      issuer.life = 3 * LIFE;
      notes.clock.ahead = 2 * LIFE * 1_000;
      expect(await textOf(client.callTool('who'))).toBe('ada');
      expect([issuer.count('/auth'), issuer.count('/token')]).toEqual([1, 2]);
      expect(refused.splice(0)).toEqual(['401 invalid_token']);

      clock.ahead = 3 * LIFE * 1_000;
      expect(await textOf(client.callTool('who'))).toBe('ada');
      expect([issuer.count('/auth'), issuer.count('/token')]).toEqual([1, 3]);
      expect(refused).toEqual([]);

      expect(await textOf(client.callTool('write'))).toBe('written');
      expect(refused.splice(0)).toEqual(['403 insufficient_scope']);
      expect(issuer.count('/auth')).toBe(2);
      expect(await textOf(client.callTool('write'))).toBe('written');
      expect(refused).toEqual([]);

      await auth.signOut?.();
      expect(await textOf(client.callTool('who'))).toBe('ada');
      expect(issuer.count('/auth')).toBe(3);
      expect(refused).toEqual(['401 invalid_token']);
      expect(pages).toHaveLength(3);
    },
    60_000,
  );
});
