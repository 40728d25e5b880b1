/** Our client against a protected server of ours and an authorization server of others. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, connect } from 'tenon';
import { type SignInOptions, signIn } from 'tenon/auth';
import { fileTokenStore } from 'tenon/auth/node';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../packages/base/src/timing/clock.js';
import { scriptedRedirect } from './scripted-browser.js';
import { startProtectedNotes, TTL } from './start-provider.js';

/** What the authorization server was asked. */
let requests: readonly string[];
let closing: (() => unknown)[];
let folder: string;

beforeEach(async () => {
  requests = [];
  closing = [];
  folder = await mkdtemp(join(tmpdir(), 'sign-in-'));
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
});

async function startAll() {
  const notes = await startProtectedNotes();
  closing.push(notes.close);
  requests = notes.requests;
  return notes;
}

const count = (what: string) => requests.filter(each => each.endsWith(what)).length;

function client(url: string, options: SignInOptions = {}) {
  const { redirect, pages } = scriptedRedirect();
  const auth = signIn({ redirect, clientName: 'tests', ...options });
  return { auth, pages, open: () => connect({ url, auth }) };
}

const text = async (result: Promise<unknown>) => ((await result) as { content: { text: string }[] }).content[0]?.text;

it('signs in, calls, renews, steps up and signs out [auth.http-conforms]', async () => {
  const { url } = await startAll();
  const states: string[] = [];
  let ahead = 0;
  const clock: Clock = {
    now: () => Date.now() + ahead,
    elapsed: () => Date.now() + ahead,
    after(ms, run) {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
  };
  const tokenStore = fileTokenStore(join(folder, 'vault.json'));
  const { auth, open, pages } = client(url, { tokenStore, clock });
  // A renewal that takes more than 100 ms counts as signing in, and on a busy machine it does.
  const timers = vi.spyOn(systemClock, 'after').mockImplementation(() => () => {});
  onTestFinished(() => timers.mockRestore());
  const first = await open();
  first.on('state', state => states.push(state));
  expect(await text(first.callTool('who'))).toContain('ada');
  expect([count('/auth'), count('/reg')]).toEqual([1, 1]);
  expect(pages.join()).toContain('You can close this page');

  ahead = TTL * 1_000;
  expect(await text(first.callTool('who'))).toContain('ada');
  expect([count('/auth'), count('/token')]).toEqual([1, 2]);

  expect(await text(first.callTool('write'))).toBe('written');
  expect(count('/auth')).toBe(2);
  expect(states).toEqual(['signing-in', 'connected']);
  timers.mockRestore();
  expect(count('/reg')).toBe(1);

  // Another process has all that it needs in the vault.
  const other = client(url, { tokenStore });
  const second = await other.open();
  expect(await text(second.callTool('write'))).toBe('written');
  expect(count('/auth')).toBe(2);
  await second.close();

  await auth.signOut?.();
  expect(count('/token/revocation')).toBe(2);
  await first.close();
  const third = client(url, { tokenStore });
  await (await third.open()).close();
  expect(count('/auth')).toBe(3);
}, 60_000);

it('signs in with DPoP tokens', async () => {
  const { url } = await startAll();
  const { open } = client(url, { dpop: true });
  const notes = await open();
  expect(await text(notes.callTool('who'))).toContain('ada');
  await notes.close();
});

it('tries neither another transport nor again after a failed sign-in', async () => {
  const { url } = await startAll();
  let times = 0;
  const redirect = {
    begin: async () => {
      times += 1;
      throw new Error('the user has gone');
    },
  };
  await expect(connect({ url, auth: signIn({ redirect }) })).rejects.toMatchObject({ code: 'auth/failed' });
  expect(times).toBe(1);
});
