import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSigner } from './hmac.js';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index);

describe('createSigner', () => {
  it('signs with HMAC-SHA-256, in base64url', async () => {
    const expected = createHmac('sha256', KEY).update('grüße').digest('base64url');
    expect(await createSigner(KEY).sign('grüße')).toBe(expected);
  });

  it('accepts its own signatures only', async () => {
    const signer = createSigner(KEY);
    const signature = await signer.sign('text');
    expect(await signer.verify('text', signature)).toBe(true);
    expect(await signer.verify('texts', signature)).toBe(false);
    expect(await createSigner(KEY.map(byte => byte ^ 1)).verify('text', signature)).toBe(false);
    expect(await signer.verify('text', signature.slice(0, -1))).toBe(false);
    expect(await signer.verify('text', 'ä')).toBe(false);
  });
});
