import { describe, expect, it } from 'vitest';
import { memoryStores } from '../../../../tenon/src/stores/memory-stores.js';
import { sealStores } from '../../../../tenon/src/stores/sealed-stores.js';
import { createApprovals } from './approvals.js';

describe('approvals in remote stores', () => {
  it('need sealed stores, because a request contains arguments [so.encrypt]', () => {
    const remote = { ...memoryStores(), durable: true, remote: true };
    expect(() => createApprovals(remote)).toThrow(expect.objectContaining({ code: 'store/not-encrypted' }) as Error);
    const keys = [{ id: 'a', key: new Uint8Array(32) }];
    expect(createApprovals(sealStores(remote, { keys }))).toBeDefined();
  });
});
