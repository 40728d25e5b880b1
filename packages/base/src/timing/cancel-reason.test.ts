import { describe, expect, it } from 'vitest';
import { TenonError } from '../errors/error.js';
import { getCancelReason } from './cancel-reason.js';

const DEFAULT = 'The caller cancelled the request';
const getReason = (cause: unknown) => getCancelReason(new TenonError('call/aborted', 'aborted', { cause }));
const named = (name: string, message: string) => Object.assign(new Error(message), { name });

describe('getCancelReason', () => {
  it('returns the text of the caller, limited to 500 characters', () => {
    expect(getReason('not needed')).toBe('not needed');
    expect(getReason(new Error('not needed'))).toBe('not needed');
    expect(getReason('x'.repeat(501))).toBe('x'.repeat(500));
    expect(getReason(new Error('x'.repeat(501)))).toBe('x'.repeat(500));
  });

  it('returns the time limit of a call', () => {
    expect(getCancelReason(new TenonError('call/timeout', 'no response within 5 ms'))).toBe('no response within 5 ms');
    expect(getReason(named('TimeoutError', 'anything'))).toBe('The time limit of the caller has passed');
  });

  it.each([
    ['an empty text', ''],
    ['an error without a text', new Error('')],
    ['the default of the platform', new Error('This operation was aborted')],
    ['another value', { secret: 1 }],
    ['an error of the library', new TenonError('connection/closed', 'cannot run /usr/bin/secret')],
  ])('returns a general text for %s', (_, cause) => {
    expect(getReason(cause)).toBe(DEFAULT);
  });

  it('never contains the cause of any other error', () => {
    expect(getCancelReason(new TenonError('connection/closed', 'closed', { cause: 'secret' }))).toBe(DEFAULT);
  });
});
