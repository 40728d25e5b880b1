import { describe, expect, it, vi } from 'vitest';
import type { SessionState } from '../../../../tenon/src/protocol/request-handler.js';
import type { ClientSession } from '../../../../tenon/src/server/request-context.js';
import { SharedRoots } from './shared-roots.js';

describe('changes of roots in a session of several processes', () => {
  it('reach the servers of each process once', () => {
    const session = {} as ClientSession;
    let state = {} as SessionState;
    const processes = [1, 2].map(() => {
      const notify = vi.fn();
      return { notify, roots: new SharedRoots(notify) };
    });
    const applyState = () => {
      for (const { roots } of processes) roots.applyState(session, state);
    };
    applyState();
    for (let change = 1; change <= 3; change++) {
      processes[change % 2]?.roots.announceChange(session, next => {
        state = next(state);
      });
      applyState();
      applyState();
      for (const { notify } of processes) expect(notify).toHaveBeenCalledTimes(change);
    }
  });

  it('are ignored for a session that begins at a process', () => {
    const notify = vi.fn();
    new SharedRoots(notify).applyState({} as ClientSession, { rootsChanges: 5 } as SessionState);
    expect(notify).not.toHaveBeenCalled();
  });
});
