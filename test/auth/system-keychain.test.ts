import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getProgram, hasPrograms } from '../../scripts/optional-programs.mjs';
import { bundle } from '../support/bundle.js';

let folder: string;
let tokens: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'system-keychain-'));
  tokens = join(folder, 'tokens.json');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

/** Logs in with a password, as on a desktop, or without one, and lets a program use the store in this session. */
async function useStoreInSession(password?: string): Promise<{ count?: number; code?: string }> {
  const daemon = `${getProgram('gnome-keyring-daemon')} --components=secrets`;
  const login = password === undefined ? `${daemon} --start >&2` : `printf %s '${password}' | ${daemon} --unlock >&2`;
  const program = `'${process.execPath}' '${bundle('test/auth/fixtures/keychain-user.ts')}' '${tokens}'`;
  // Without a display, nobody can be asked for the password.
  const { DISPLAY: _, WAYLAND_DISPLAY: __, ...env } = process.env;
  const session = spawn(getProgram('dbus-run-session'), ['--', 'sh', '-c', `${login}; exec ${program}`], {
    env: { ...env, HOME: folder, XDG_DATA_HOME: folder, XDG_RUNTIME_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors] = await Promise.all([text(session.stdout), text(session.stderr), once(session, 'close')]);
  if (output === '') throw new Error(`the program printed nothing: ${errors}`);
  return JSON.parse(output);
}

describe.skipIf(!hasPrograms('dbus-run-session', 'gnome-keyring-daemon'))('the Secret Service of Linux', () => {
  it('protects the tokens of one session for the next', async () => {
    expect(await useStoreInSession('password')).toEqual({ count: 1 });
    expect(await useStoreInSession('password')).toEqual({ count: 2 });
    expect(await readFile(tokens, 'utf8')).not.toContain('count');
  });

  it('refuses a change while the keyring is locked, and keeps the tokens', async () => {
    const { count = 0 } = await useStoreInSession('password');
    expect(await useStoreInSession()).toEqual({ code: 'auth/no-keychain' });
    expect(await useStoreInSession('another password')).toEqual({ code: 'auth/no-keychain' });
    expect(await useStoreInSession('password')).toEqual({ count: count + 1 });
  });
});
