import { TenonError } from '@tenon/base';
import { describe, expect, it } from 'vitest';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import type { Dialect } from '../../protocol/versions/dialect.js';
import { getDialect } from '../../protocol/versions/index.js';
import type { RequestContext } from '../request-context.js';
import { isUrlElicitationRequired, requestUrlElicitation, urlElicitationRequired } from './url-elicitation.js';

const [r20250618, r20251125, r20260728] = ['2025-06-18', '2025-11-25', '2026-07-28'].map(getDialect) as [
  Dialect,
  Dialect,
  Dialect,
];
const url = { elicitation: { url: {} } };

function turn(dialect: Dialect, capabilities: ClientCapabilities = url) {
  const elicited: string[] = [];
  const given = { dialect, caller: { capabilities }, trackElicitation: (id: string) => void elicited.push(id) };
  return { elicited, turn: given as unknown as RequestContext };
}

function thrownBy(run: () => unknown): TenonError {
  try {
    run();
  } catch (error) {
    return TenonError.from(error);
  }
  throw new Error('nothing was thrown');
}

const two = () =>
  urlElicitationRequired(
    { message: 'Sign in', url: 'https://a.example/', elicitationId: 'a' },
    { message: 'Pay', url: 'https://b.example/', elicitationId: 'b' },
  );

describe('urlElicitationRequired', () => {
  it('carries all elicitations', () => {
    expect(isUrlElicitationRequired(two())).toBe(true);
    expect(isUrlElicitationRequired(new TenonError('tool/failed', 'x'))).toBe(false);
    expect(isUrlElicitationRequired(undefined)).toBe(false);
    expect(two().data).toEqual([
      { mode: 'url', elicitationId: 'a', message: 'Sign in', url: 'https://a.example/' },
      { mode: 'url', elicitationId: 'b', message: 'Pay', url: 'https://b.example/' },
    ]);
  });

  it('creates a random id when none is given', () => {
    const ids = [1, 2].map(() => {
      const { data } = urlElicitationRequired({ message: 'm', url: 'https://a.example/' });
      return (data as { elicitationId: string }[])[0]?.elicitationId;
    });
    expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it('differs from other errors', () => {
    const error = new Error('x');
    expect(thrownBy(() => requestUrlElicitation(error, turn(r20251125).turn, {})).cause).toBe(error);
  });

  it('becomes an error with a code if the protocol version has one, and records the ids', () => {
    const { turn: given, elicited } = turn(r20251125);
    const error = thrownBy(() => requestUrlElicitation(two(), given, {}));
    expect(error).toMatchObject({ rpcCode: -32042, data: { elicitations: two().data } });
    expect(elicited).toEqual(['a', 'b']);
  });

  it('becomes an input request without ids on 2026-07-28', () => {
    const { turn: given, elicited } = turn(r20260728);
    expect(requestUrlElicitation(two(), given, {})).toEqual({
      resultType: 'input_required',
      inputRequests: {
        'visit-0': {
          method: 'elicitation/create',
          params: { mode: 'url', message: 'Sign in', url: 'https://a.example/' },
        },
        'visit-1': { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://b.example/' } },
      },
    });
    expect(elicited).toEqual([]);
  });

  it.each([
    ['2025-06-18, which has no such elicitation', r20250618, url, { code: 'client/missing-capability' }],
    ['a client without elicitation', r20251125, {}, { code: 'client/missing-capability' }],
    ['a client with forms only', r20251125, { elicitation: { form: {} } }, { code: 'client/missing-capability' }],
    ['a client with forms only that makes requests again', r20260728, { elicitation: {} }, { rpcCode: -32021 }],
  ])('fails for %s', (_, dialect, capabilities, expected) => {
    const { turn: given, elicited } = turn(dialect, capabilities);
    expect(thrownBy(() => requestUrlElicitation(two(), given, {}))).toMatchObject(expected);
    expect(elicited).toEqual([]);
  });

  it('names the missing capability', () => {
    const error = thrownBy(() => requestUrlElicitation(two(), turn(r20260728, {}).turn, {}));
    expect(error.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } });
  });

  it('becomes another input request after an accepted visit, and fails after a declined one', () => {
    const { turn: given } = turn(r20260728);
    const after = (action: string, key = 'visit-0') => ({ inputResponses: { [key]: { action } } }) as never;
    expect(requestUrlElicitation(two(), given, after('accept'))).toMatchObject({ resultType: 'input_required' });
    expect(requestUrlElicitation(two(), given, after('decline', 'own'))).toMatchObject({
      resultType: 'input_required',
    });
    for (const action of ['decline', 'cancel'])
      expect(thrownBy(() => requestUrlElicitation(two(), given, after(action)))).toMatchObject({
        code: 'client/declined',
      });
  });
});
