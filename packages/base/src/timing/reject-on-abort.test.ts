import { describe, expect, it } from 'vitest';
import { rejectOnAbort } from './reject-on-abort.js';

const never = new Promise<never>(() => {});

describe('rejectOnAbort', () => {
  it('settles as the promise does', async () => {
    const { signal } = new AbortController();
    expect(await rejectOnAbort(Promise.resolve('done'), signal)).toBe('done');
    await expect(rejectOnAbort(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    expect(await rejectOnAbort(Promise.resolve('done'), undefined)).toBe('done');
  });

  it('rejects with the reason of the signal, whether it is aborted before or later', async () => {
    await expect(rejectOnAbort(never, AbortSignal.abort('before'))).rejects.toBe('before');
    const controller = new AbortController();
    const waiting = rejectOnAbort(never, controller.signal);
    controller.abort('later');
    await expect(waiting).rejects.toBe('later');
  });

  it('handles the rejection of a promise that no caller awaits any longer', async () => {
    const failed = Promise.reject(new Error('too late'));
    await expect(rejectOnAbort(failed, AbortSignal.abort('gone'))).rejects.toBe('gone');
  });
});
