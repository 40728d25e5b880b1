import { checkString, requireArgument, requireKnownOptions } from '@tenon/base';
import { acceptDrift } from '../../security/lock/accept-drift.js';
import { createLockGuard, type LockGuard, type LockGuardOptions } from '../../security/lock/lock-guard.js';
import { openLockFile } from './lock-file.js';

/** Options of a lock file. Approved changes are written to the file. */
export interface HostLockOptions extends Omit<LockGuardOptions, 'lock' | 'onApproved'> {
  /** Path of `mcp.lock`. A missing file counts as an empty lock, in which all servers are unknown. */
  readonly file: string;
}

/** Opens a lock guard for a lock file. Changes that a user approves are written into the file. An absent file is an empty lock. */
export async function openLockGuard(lock: HostLockOptions): Promise<LockGuard> {
  requireKnownOptions('openLockGuard', lock, {
    file: true,
    onChanged: true,
    onUnknown: true,
    confirm: true,
    kinds: true,
  });
  const { file: path, ...options } = lock;
  requireArgument('`file` of openLockGuard', path, checkString);
  const file = openLockFile(path);
  return createLockGuard({
    ...options,
    lock: (await file.read()) ?? { servers: new Map() },
    onApproved: async drifts => void (await file.update(held => acceptDrift(held, drifts))),
  });
}
