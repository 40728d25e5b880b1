import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '@tenon/base/node';
import { type JsonObject, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { getFolders } from '../folders.js';
import { formatFile, parseFile } from '../stores/file-format.js';
import type { ResolvedTarget } from '../target/resolve-target.js';
import type { TargetOptions } from '../target/target-options.js';
import type { TargetReference } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

/** Call that waits for an answer. It is stored in a file that only the user can read. */
export interface WaitingCall {
  readonly id: string;
  /** Time of its creation, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Folder of the command, which the target and the paths in the options are relative to. Absent in earlier files. */
  readonly cwd?: string | undefined;
  readonly reference: TargetReference;
  /** Options to connect to the server again. Headers are not stored, because they contain secrets. */
  readonly options: TargetOptions;
  /** Digest of the URL or command line of the server. */
  readonly fingerprint: string;
  readonly method: string;
  readonly params: JsonObject;
  /** Requests of the server, by key. */
  readonly inputRequests: JsonObject;
  readonly requestState?: string | undefined;
  /** ID of the task that requests input. Absent if the call itself does. */
  readonly taskId?: string | undefined;
}

/** Lifetime of a waiting call, in milliseconds: one day. The server may end it earlier. */
const WAITING_TTL = 86_400_000;
const ID = /^[0-9a-f]{8}$/;

/** Computes the digest that binds a waiting call to its server. */
export function computeTargetFingerprint({ target, label }: ResolvedTarget): string {
  const identity = getIdentity(target) ?? [label];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex');
}

function getIdentity(target: ResolvedTarget['target']): readonly unknown[] | undefined {
  if ('url' in target) return [String(target.url)];
  return 'command' in target ? [target.command, target.args ?? [], target.cwd ?? ''] : undefined;
}

/** Writes a waiting call, and removes those that have expired. */
export async function saveWaitingCall(
  context: CliContext,
  call: Omit<WaitingCall, 'id' | 'createdAt' | 'expiresAt' | 'cwd'>,
  now: number = Date.now(),
): Promise<WaitingCall> {
  const folder = getWaitingCallsFolder(context);
  const id = randomBytes(4).toString('hex');
  const waitingCall = { id, createdAt: now, expiresAt: now + WAITING_TTL, cwd: context.cwd, ...call };
  try {
    await createFolder(folder, 0o700);
    await writeFile(join(folder, `${waitingCall.id}.json`), formatFile(waitingCall), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unwritable';
    throw new TenonError(
      'cli/input-required',
      `the server asks a question, and the call cannot be kept: ${folder}: ${code}`,
      {
        hint: 'run this in a terminal, or set TENON_HOME to a folder that can be written',
      },
    );
  }
  await listWaitingCalls(context, now);
  return waitingCall;
}

/** Lists waiting calls, the oldest first. Removes those that have expired. */
export async function listWaitingCalls(context: CliContext, now: number = Date.now()): Promise<WaitingCall[]> {
  const folder = getWaitingCallsFolder(context);
  const names = await readdir(folder).catch(() => []);
  const ids = names.filter(name => name.endsWith('.json')).map(name => name.slice(0, -'.json'.length));
  const all = await Promise.all(ids.filter(id => ID.test(id)).map(id => readWaitingCall(folder, id)));
  const calls = all.filter(call => call !== undefined);
  for (const call of calls) if (call.expiresAt <= now) await removeWaitingCall(context, call.id);
  return calls.filter(call => call.expiresAt > now).sort((a, b) => a.createdAt - b.createdAt);
}

/** Finds a waiting call by its ID or the first characters of it. */
export async function findWaitingCall(context: CliContext, id: string): Promise<WaitingCall> {
  const calls = await listWaitingCalls(context);
  const [call, other] = calls.filter(each => id !== '' && each.id.startsWith(id));
  if (call && !other) return call;
  const summary = other ? `several calls have an id that begins with ${id}` : `no call waits under the id ${id}`;
  throw createUsageError(summary, 'see the calls that wait with `tenon answer`');
}

/** Removes a waiting call. */
export async function removeWaitingCall(context: CliContext, id: string): Promise<void> {
  await rm(join(getWaitingCallsFolder(context), `${id}.json`), { force: true });
}

function getWaitingCallsFolder({ env }: CliContext): string {
  return join(getFolders(env).state, 'waiting-calls');
}

async function readWaitingCall(folder: string, id: string): Promise<WaitingCall | undefined> {
  try {
    // A file of another release stays as it is.
    return parseFile(await readFile(join(folder, `${id}.json`), 'utf8')) as unknown as WaitingCall | undefined;
  } catch {
    return undefined;
  }
}
