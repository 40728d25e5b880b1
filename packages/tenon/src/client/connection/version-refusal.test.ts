import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import { mayRefuseVersion } from './version-refusal.js';

describe('mayRefuseVersion', () => {
  it.each([400, 404, 422, undefined])('takes a JSON-RPC error with status %s as a refusal of the version', status => {
    const error = new TenonError('peer/error', 'unsupported version', { status, rpcCode: -32601 });
    expect(mayRefuseVersion(error)).toBe(true);
  });

  it.each([401, 403, 404, 429, 500, 503])('takes status %i without a JSON-RPC error as none', status => {
    expect(mayRefuseVersion(new TenonError('http/status', 'refused', { status }))).toBe(false);
  });

  it.each([401, 403, 503])('takes a JSON-RPC error with status %i as none', status => {
    expect(mayRefuseVersion(new TenonError('peer/error', 'refused', { status, rpcCode: -32600 }))).toBe(false);
  });
});
