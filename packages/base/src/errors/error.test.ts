import { describe, expect, it } from 'vitest';
import { toErrorObject } from '../../../tenon/src/jsonrpc/error-response.js';
import { type ErrorDetails, isForPeer, rpcError, TenonError } from './error.js';
import { INTERNAL_ERROR } from './error-codes.js';

describe('a TenonError', () => {
  it('names subject, expected and received value, and next step', () => {
    const error = new TenonError('a/b', 'it broke', {
      peer: 'notes',
      method: 'm',
      expected: 'x',
      received: 'y',
      hint: 'mend it',
    });
    expect(error.message).toBe('notes, m: it broke. Expected x, got y. Mend it.');
    expect(error).toMatchObject({ code: 'a/b', peer: 'notes', method: 'm', hint: 'mend it', name: 'TenonError' });
  });

  it('separates lines of others from its own text', () => {
    const error = new TenonError('a/b', 'it exited: last lines of stderr:\n  about to die', {
      peer: 'notes',
      received: 'exit code 7',
    });
    expect(error.message).toBe('notes: it exited: last lines of stderr:\n  about to die\nGot exit code 7.');
  });

  it('adds no full stop to a line of its own', () => {
    const error = new TenonError('a/b', 'it broke:\n  line 3:\n', { hint: 'mend it' });
    expect(error.message).toBe('it broke:\n  line 3:\nMend it.');
    const listed = new TenonError('a/b', 'it broke', { hint: 'pass one of:\n  a\n  b' });
    expect(listed.message).toBe('it broke. Pass one of:\n  a\n  b');
  });

  it('has each of its details as a member', () => {
    const details: Required<Omit<ErrorDetails, 'cause'>> = {
      peer: 'notes',
      method: 'm',
      expected: 'x',
      received: 'y',
      hint: 'mend it',
      rpcCode: -32603,
      data: null,
      status: 500,
      retryAfterMs: 0,
    };
    expect({ ...new TenonError('a/b', 'it broke', details) }).toMatchObject(details);
    const names = Object.keys(new TenonError('a/b', 'it broke'));
    for (const name of Object.keys(details))
      expect([name in TenonError.prototype, names.includes(name)]).toEqual([true, false]);
  });

  it('omits what is unknown', () => expect(new TenonError('a/b', 'it broke').message).toBe('it broke'));

  it('wraps any thrown value, and returns an existing one unchanged', () => {
    const error = new TenonError('a/b', 'it broke');
    expect(TenonError.from(error, 'c/d')).toBe(error);
    expect(TenonError.from('text', 'c/d', { peer: 'p' })).toMatchObject({
      code: 'c/d',
      message: 'p: text',
      cause: 'text',
    });
    expect(TenonError.from(new Error('no'))).toMatchObject({ code: 'internal/unexpected', message: 'no' });
  });

  it('recognizes an error of another copy of the library', () => {
    expect(TenonError.is(Object.assign(new Error('x'), { name: 'TenonError', code: 'a/b' }))).toBe(true);
    expect(TenonError.is({ name: 'TenonError', code: 'a/b' })).toBe(false);
  });
});

describe('toErrorObject', () => {
  it('converts an error that was created for the peer', () => {
    expect(toErrorObject(rpcError(-32602, 'no', { a: 1 }))).toEqual({ code: -32602, message: 'no', data: { a: 1 } });
    expect(toErrorObject(rpcError(-32602, 'no'))).toEqual({ code: -32602, message: 'no' });
  });

  it('tells peers to wait while the store is full or fails, without details', () => {
    for (const [code, reason] of [
      ['store/full', 'is full'],
      ['store/unavailable', 'does not respond'],
      ['store/busy', 'does not respond'],
    ] as const) {
      const error = new TenonError(code, 'redis://secret@host', { hint: 'free memory' });
      const message = `The store of the server ${reason}. Retry later`;
      expect(toErrorObject(error)).toEqual({ code: 503, message, data: { retryAfterMs: 5000 } });
    }
  });

  it('hides text, path and stack of any other error [base.error.internal-error]', () => {
    const foreign = new TenonError('peer/error', 'secret', { rpcCode: -32000, data: 'secret', peer: '/home/me/x.js' });
    for (const thrown of [foreign, new Error('secret'), 'secret', undefined, null, { code: 1, message: 'secret' }]) {
      expect(toErrorObject(thrown)).toEqual({ code: INTERNAL_ERROR, message: 'Internal error' });
      expect(isForPeer(thrown)).toBe(false);
    }
  });
});
