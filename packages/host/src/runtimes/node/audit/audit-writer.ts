import { type FileHandle, open, rm } from 'node:fs/promises';
import { type Clock, TenonError } from '@tenon/base';
import { syncFolder } from '@tenon/base/node';

/** Maximum number of bytes that are written at once. */
const MAX_BATCH = 1024 * 1024;
/** With `sync: 'batch'`, maximum time until written data is on disk, in milliseconds. */
const SYNC_DELAY = 1_000;

export interface AuditWriterOptions {
  readonly file: FileHandle;
  /** Offset of the next line, in bytes. */
  readonly end: number;
  /** Size of the file, in bytes. */
  readonly size: number;
  readonly sync: 'always' | 'batch';
  readonly clock: Clock;
}

export interface AuditWriter {
  append(line: string): Promise<void>;
  /** Continues in a new file. Deletes the unneeded files after the new one has a line. */
  rotate(path: string, unneeded: readonly string[]): void;
  /** Length of the file with all pending lines, in bytes. */
  readonly length: number;
  close(): Promise<void>;
}

interface PendingLine {
  readonly bytes: Buffer;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

type WriteStep = PendingLine | { readonly to: string; readonly unneeded: readonly string[] };

/**
 * Creates a writer that writes lines in order, and waiting lines together. After the first failure it writes nothing
 * more.
 */
export function createAuditWriter(start: AuditWriterOptions): AuditWriter {
  const { sync, clock } = start;
  let { file, end, size } = start;
  let length = end;
  let steps: WriteStep[] = [];
  let unneeded: readonly string[] = [];
  let running: Promise<void> | undefined;
  let failure: unknown;
  let cancelSync: (() => void) | undefined;

  async function write(batch: readonly PendingLine[]): Promise<void> {
    const bytes = Buffer.concat(batch.map(each => each.bytes));
    // A second writer would break the hash chain at the point where it writes.
    if ((await file.stat()).size !== size) throw createNotAloneError();
    for (let at = 0; at < bytes.length; ) {
      at += (await file.write(bytes, at, bytes.length - at, end + at)).bytesWritten;
    }
    end += bytes.length;
    if (size > end) await file.truncate(end);
    size = end;
    if (sync === 'always') await file.datasync();
    else cancelSync ??= clock.after(SYNC_DELAY, syncLater);
    for (const each of batch) each.resolve();
    const removed = unneeded;
    unneeded = [];
    await Promise.all(removed.map(each => rm(each, { force: true }).catch(() => {})));
  }

  function syncLater(): void {
    cancelSync = undefined;
    const at = file;
    // The log may have continued in another file meanwhile. Then this file is already on disk.
    at.datasync().catch(error => {
      if (at === file) fail(error);
    });
  }

  async function rotate(path: string, removed: readonly string[]): Promise<void> {
    if (size > end) await file.truncate(end);
    // The order of the writes guarantees that the previous file always names the new one, even after a power failure.
    await file.datasync();
    const next = await open(path, 'wx', 0o600);
    await file.close();
    [file, end, size] = [next, 0, 0];
    unneeded = [...unneeded, ...removed];
    await syncFolder(path);
  }

  function fail(error: unknown): void {
    failure ??= error;
    for (const each of steps.splice(0)) if ('reject' in each) each.reject(failure);
  }

  async function run(): Promise<void> {
    while (steps.length > 0 && failure === undefined) {
      const [first] = steps;
      const batch = first && 'to' in first ? [] : takeBatch(steps);
      steps = steps.slice(Math.max(1, batch.length));
      try {
        if (first && 'to' in first) await rotate(first.to, first.unneeded);
        else await write(batch);
      } catch (error) {
        fail(error);
        for (const each of batch) each.reject(failure);
      }
    }
    running = undefined;
  }

  const add = (step: WriteStep) => {
    steps.push(step);
    // Lines that are appended together are written together.
    running ??= Promise.resolve().then(run);
  };

  return {
    get length() {
      return length;
    },
    append(line) {
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        const bytes = Buffer.from(`${line}\n`, 'latin1');
        length += bytes.length;
        add({ bytes, resolve, reject });
      });
    },
    rotate(to, removed) {
      length = 0;
      add({ to, unneeded: removed });
    },
    async close() {
      while (running) await running;
      cancelSync?.();
      if (failure === undefined) await file.datasync();
      failure ??= new TenonError('audit/closed', 'the audit record is closed', { hint: 'open it again' });
      await file.close();
    },
  };
}

function takeBatch(steps: readonly WriteStep[]): PendingLine[] {
  const batch: PendingLine[] = [];
  let bytes = 0;
  for (const step of steps) {
    if ('to' in step || (batch.length > 0 && bytes + step.bytes.length > MAX_BATCH)) break;
    bytes += step.bytes.length;
    batch.push(step);
  }
  return batch;
}

function createNotAloneError(): TenonError {
  return new TenonError('audit/not-alone', 'another process has written to the audit record', {
    hint: 'run `tenon audit verify`, and use a separate record for each process',
  });
}
