import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Audit, type AuditOptions, createAudit } from '../../host/audit/audit.js';
import type { AuditSink, Beginning } from '../../host/audit/sink.js';
import { type Clock, systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { broken, foundAt } from './audit-opening.js';
import { fileAfter } from './audit-places.js';
import { createAuditWriter } from './audit-writer.js';
import { withLock } from './file-lock.js';

export interface AuditFileOptions {
  /** How long a file grows before another is begun, in bytes; the last line may go beyond. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many files are kept; what is dropped is recorded. Default 64. */
  readonly keep?: number | undefined;
  /**
   * `always`: an event is kept once the disk has it; those that come at once share the wait. `batch`: once the operating
   * system has it, and the disk within a second: it survives the end of the process, not that of the power. Default `always`.
   */
  readonly sync?: 'always' | 'batch' | undefined;
  readonly clock?: Clock | undefined;
}

/** A file to which one process at a time adds lines. */
export interface AuditFile extends Required<Pick<AuditSink, 'append' | 'full' | 'turn'>> {
  readonly last: string | undefined;
  readonly torn: AuditSink['torn'];
  /** Waits until all is on the disk, and lets another process have it. */
  close(): Promise<void>;
}

const MAX_BYTES = 16 * 1024 * 1024;
const KEEP = 64;
/**
 * Time to wait for the process that has the record to show that it lives, in ms: longer than a dead one has it. A process
 * that lives shows it every two seconds.
 */
const PATIENCE = 20_000;

/**
 * Opens the record at `path` and the files that follow it, for this process alone. Rejects with `audit/busy` when another
 * process has it, `audit/broken` when it does not end as a record does, and `audit/failed`.
 */
export async function auditFile(path: string, options: AuditFileOptions = {}): Promise<AuditFile> {
  const { clock = systemClock } = options;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const release = await hold(`${path}.lock`, clock);
  try {
    return await opened(path, release, { ...options, clock });
  } catch (error) {
    await release();
    throw TenonError.from(error, 'audit/failed', { next: `see whether ${path} can be read and written` });
  }
}

/** Opens a record in a file: `auditFile` and `createAudit` in one. Closing it closes the file. */
export async function openAudit(
  path: string,
  options: AuditFileOptions & Omit<AuditOptions, keyof AuditSink> = {},
): Promise<Audit & { close(): Promise<void> }> {
  const file = await auditFile(path, options);
  try {
    // Ten times as fast as that of WebCrypto, which hands each text to another thread.
    const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
    const audit = await createAudit({ digest, ...options, ...file });
    return {
      write: audit.write,
      get head() {
        return audit.head;
      },
      settled: audit.settled,
      close: () => audit.settled().then(file.close),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function opened(
  path: string,
  release: () => Promise<void>,
  { maxBytes = MAX_BYTES, keep = KEEP, sync = 'always', clock = systemClock }: AuditFileOptions,
): Promise<AuditFile> {
  const { file, tail, line, files, begins } = await foundAt(path);
  const writer = createAuditWriter({ file, end: tail.end, size: tail.end + (tail.torn?.bytes ?? 0), sync, clock });
  const next = () => fileAfter(path, files.at(-1) ?? path);
  const turn = (name: string, begin: Beginning) => {
    files.push(join(dirname(path), name));
    begins.push(begin);
    const gone = files.splice(0, Math.max(0, files.length - Math.max(1, keep)));
    begins.splice(0, gone.length);
    writer.turn(files.at(-1) ?? path, gone);
    return gone.length === 0 ? undefined : begins[0];
  };
  if (tail.last !== undefined && line?.content.record === 'turned') {
    if (line.content.to !== basename(next())) {
      await file.close();
      throw broken(files.at(-1), 'it goes on in a file of another name');
    }
    files.push(next());
    begins.push({ seq: line.seq + 1, prev: line.hash });
    writer.turn(files.at(-1) ?? path, []);
  }
  return {
    last: line?.text,
    torn: tail.torn,
    append: writer.append,
    full: () => (writer.length >= maxBytes ? basename(next()) : undefined),
    turn,
    close: () => writer.close().finally(release),
  };
}

/** Holds a lock until it is told to let go. */
function hold(path: string, clock: Clock): Promise<() => Promise<void>> {
  return new Promise((resolve, reject) => {
    let letGo = () => {};
    const until = new Promise<void>(end => {
      letGo = end;
    });
    const release = () => {
      letGo();
      return held;
    };
    const work = () => {
      resolve(release);
      return until;
    };
    const held = withLock(path, clock, work, { patience: PATIENCE, failIfAlive: true });
    held.catch(error => {
      const busy = TenonError.is(error) && error.code === 'auth/vault-busy';
      reject(
        busy
          ? new TenonError('audit/busy', `another process writes this audit record: ${path}`, { next: NEXT })
          : error,
      );
    });
  });
}

const NEXT = 'let one process alone write a record: give each its own path';
