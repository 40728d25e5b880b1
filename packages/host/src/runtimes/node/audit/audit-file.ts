import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import {
  type Clock,
  checkString,
  requireArgument,
  requireKnownOptions,
  systemClock,
  TenonError,
  withDetails,
} from '@tenon/base';
import { createFolder, withLock } from '@tenon/base/node';
import { type Audit, type AuditOptions, createAudit } from '../../../security/audit/audit.js';
import type { AuditHead } from '../../../security/audit/audit-event.js';
import { parseAuditLine } from '../../../security/audit/audit-line.js';
import type { AuditPosition, AuditSink } from '../../../security/audit/audit-sink.js';
import { getNextAuditFile } from './audit-file-names.js';
import { createAuditWriter } from './audit-writer.js';
import { createBrokenError, openLastAuditFile } from './open-audit-file.js';

/** Options of an audit log in files. */
export interface AuditFileOptions {
  /**
   * Maximum size of a file, in bytes. The last line may exceed it; then another file is started.
   * @default 16 MiB
   */
  readonly maxBytes?: number | undefined;
  /**
   * Maximum number of files. Beyond it the oldest is deleted, and the deletion is recorded.
   * @default 64
   */
  readonly maxFiles?: number | undefined;
  /**
   * `always`: an event is stored when it is on disk; concurrent events share the wait. `batch`: an event is stored
   * when the operating system has it. It is on disk within a second, so it survives a crash of the process but not a
   * power failure.
   * @default `always`
   */
  readonly sync?: 'always' | 'batch' | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** An audit file to which one process at a time appends lines. */
export interface AuditFile extends Required<Pick<AuditSink, 'append' | 'getFullReason' | 'rotate'>> {
  readonly last: string | undefined;
  readonly torn: AuditSink['torn'];
  /** Closes the file after a failed write, and opens it after its last complete line. It stays locked. */
  reopen(): Promise<AuditFile>;
  /** Waits until all lines are on disk, and unlocks the file for other processes. */
  close(): Promise<void>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 64;
/**
 * Time to wait for a sign of life from the process that has locked the file, in milliseconds. A live process gives one
 * every two seconds. The lock of a dead process expires earlier.
 */
const LOCK_TIMEOUT = 20_000;
/** Minimum time between two attempts to open a file again after a failed write, in milliseconds. */
const REOPEN_DELAY = 1_000;

/**
 * Opens the audit log at `path` and its following files for this process alone.
 * @throws TenonError `audit/busy` when another process has it open, `audit/broken` when its end is invalid, or
 * `audit/failed`.
 */
export async function openAuditFile(path: string, options: AuditFileOptions = {}): Promise<AuditFile> {
  const { clock = systemClock } = options;
  await createFolder(dirname(path), 0o700);
  const release = await holdLock(path, clock);
  try {
    return await openLocked(path, release, { ...options, clock });
  } catch (error) {
    await release();
    throw TenonError.from(error, 'audit/failed', { hint: `see whether ${path} can be read and written` });
  }
}

/** Options of `openAudit`. */
export interface OpenAuditOptions extends AuditFileOptions, Omit<AuditOptions, keyof AuditSink | 'replica' | 'clock'> {
  /**
   * Name of the replica that writes the log, in each of its lines: 1 to 128 letters, digits, "_", "." and "-". `true`:
   * the name of the machine with a random end. Use a name for one log only. A log that exists keeps its name.
   * @default no name, and the log cannot be verified together with those of other replicas
   */
  readonly replica?: string | true | undefined;
}

/**
 * Opens an audit log in a file. Closing it closes the file.
 *
 * An event that cannot be written is refused with `audit/failed`. A later event opens the file again after its last complete
 * line, at most once per second, and an incomplete line is recorded. If stored lines are missing, each event is refused with
 * `audit/broken`.
 */
export async function openAudit(
  path: string,
  given: OpenAuditOptions = {},
): Promise<Audit & { close(): Promise<void> }> {
  requireArgument('`path` of openAudit', path, checkString);
  requireKnownOptions('openAudit', given, {
    replica: true,
    maxBytes: true,
    maxFiles: true,
    sync: true,
    clock: true,
    key: true,
    maxPending: true,
    redact: true,
    arguments: true,
  });
  const { replica, ...options } = given;
  const { clock = systemClock } = options;
  const name = replica === true ? createReplicaName() : replica;
  const open = (file: AuditFile) => createAudit({ ...options, ...file, replica: name });
  let file = await openAuditFile(path, options);
  let audit = await open(file).catch(async error => {
    await file.close();
    throw error;
  });
  let lastStored = -1;
  let failedAt: number | undefined;
  let reopening: Promise<void> | undefined;
  let isClosed = false;

  async function reopen(): Promise<void> {
    failedAt = clock.elapsed();
    await audit.flush();
    file = await file.reopen();
    const line = file.last === undefined ? undefined : parseAuditLine(file.last);
    if (lastStored > (typeof line === 'object' ? line.seq : -1))
      throw createBrokenError(path, 'lines at its end are missing');
    audit = await open(file);
    failedAt = undefined;
  }

  async function record(write: (audit: Audit) => Promise<AuditHead>): Promise<AuditHead> {
    if (failedAt !== undefined && !isClosed && clock.elapsed() - failedAt >= REOPEN_DELAY) {
      reopening ??= reopen().finally(() => {
        reopening = undefined;
      });
    }
    try {
      await reopening;
      const head = await write(audit);
      lastStored = Math.max(lastStored, head.seq);
      return head;
    } catch (thrown) {
      const error = TenonError.from(thrown, 'audit/failed');
      if (error.code !== 'audit/failed') throw error;
      failedAt ??= clock.elapsed();
      throw withDetails(error, { hint: 'check the storage: each event is refused until it can be written again' });
    }
  }

  return {
    write: event => record(({ write }) => write(event)),
    replica: audit.replica,
    recordAnchors: anchors => record(({ recordAnchors }) => recordAnchors(anchors)),
    get head() {
      return audit.head;
    },
    flush: () => audit.flush(),
    async close() {
      isClosed = true;
      await reopening?.catch(() => {});
      await audit.flush();
      await file.close();
    },
  };
}

const createReplicaName = (): string =>
  `${hostname()
    .replace(/[^\w.-]/g, '_')
    .slice(0, 100)}-${randomBytes(4).toString('hex')}`;

async function openLocked(path: string, release: () => Promise<void>, options: AuditFileOptions): Promise<AuditFile> {
  const { maxBytes = MAX_BYTES, maxFiles = MAX_FILES, sync = 'always', clock = systemClock } = options;
  const { file, tail, line, files, begins } = await openLastAuditFile(path);
  const writer = createAuditWriter({ file, end: tail.end, size: tail.end + (tail.torn?.bytes ?? 0), sync, clock });
  const getNextPath = () => getNextAuditFile(path, files.at(-1) ?? path);
  const rotate = (name: string, begin: AuditPosition) => {
    files.push(join(dirname(path), name));
    begins.push(begin);
    const removed = files.splice(0, Math.max(0, files.length - Math.max(1, maxFiles)));
    begins.splice(0, removed.length);
    writer.rotate(files.at(-1) ?? path, removed);
    return removed.length === 0 ? undefined : begins[0];
  };
  if (tail.last !== undefined && line?.content.record === 'turned') {
    if (line.content.to !== basename(getNextPath())) {
      await file.close();
      throw createBrokenError(files.at(-1), 'the next file has another name');
    }
    files.push(getNextPath());
    begins.push({ seq: line.seq + 1, prev: line.hash });
    writer.rotate(files.at(-1) ?? path, []);
  }
  return {
    last: line?.text,
    torn: tail.torn,
    append: writer.append,
    getFullReason: () => (writer.length >= maxBytes ? basename(getNextPath()) : undefined),
    rotate,
    async reopen() {
      await writer.close().catch(() => {});
      return openLocked(path, release, options);
    },
    close: () => writer.close().finally(release),
  };
}

/** Acquires the lock of an audit log. Returns a function that releases it. */
function holdLock(path: string, clock: Clock): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    let endHold = () => {};
    const until = new Promise<void>(end => {
      endHold = end;
    });
    const release = () => {
      endHold();
      return lock;
    };
    const work = () => {
      resolve(release);
      return until;
    };
    const createBusyError = () =>
      new TenonError('audit/busy', `another process writes the audit record ${path}`, { hint: NEXT });
    const lock = withLock(`${path}.lock`, clock, work, { timeout: LOCK_TIMEOUT, failIfAlive: true, createBusyError });
    lock.catch(reject);
  });
}

const NEXT = 'use a separate path for each process';
