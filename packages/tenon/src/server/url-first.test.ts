import { describe, expect, it } from 'vitest';
import type { Dialect } from '../dialects/dialect.js';
import { dialectOf } from '../dialects/index.js';
import { TenonError } from '../jsonrpc/error.js';
import type { ClientCapabilities } from '../model/capabilities.js';
import type { Turn } from './turn.js';
import { askToVisit, isUrlRequired, urlRequired } from './url-first.js';

const [r20250618, r20251125, r20260728] = ['2025-06-18', '2025-11-25', '2026-07-28'].map(dialectOf) as [
  Dialect,
  Dialect,
  Dialect,
];
const url = { elicitation: { url: {} } };

function turn(dialect: Dialect, capabilities: ClientCapabilities = url) {
  const elicited: string[] = [];
  const given = { dialect, caller: { capabilities }, elicits: (id: string) => void elicited.push(id) };
  return { elicited, turn: given as unknown as Turn };
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
  urlRequired(
    { message: 'Sign in', url: 'https://a.example/', elicitationId: 'a' },
    { message: 'Pay', url: 'https://b.example/', elicitationId: 'b' },
  );

describe('what has to be visited first', () => {
  it('is an error that has all of it', () => {
    expect(isUrlRequired(two())).toBe(true);
    expect(isUrlRequired(new TenonError('tool/failed', 'x'))).toBe(false);
    expect(isUrlRequired(undefined)).toBe(false);
    expect(two().data).toEqual([
      { mode: 'url', elicitationId: 'a', message: 'Sign in', url: 'https://a.example/' },
      { mode: 'url', elicitationId: 'b', message: 'Pay', url: 'https://b.example/' },
    ]);
  });

  it('has an id that nobody can guess, when it is given none', () => {
    const ids = [1, 2].map(() => {
      const { data } = urlRequired({ message: 'm', url: 'https://a.example/' });
      return (data as { elicitationId: string }[])[0]?.elicitationId;
    });
    expect(ids[0]).toMatch(/^[\da-f-]{36}$/);
    expect(ids[1]).not.toBe(ids[0]);
  });

  it('leaves other errors as they are', () => {
    const error = new Error('x');
    expect(thrownBy(() => askToVisit(error, turn(r20251125).turn, {})).cause).toBe(error);
  });

  it('is an error with a code where the revision has one, and is remembered', () => {
    const { turn: given, elicited } = turn(r20251125);
    const error = thrownBy(() => askToVisit(two(), given, {}));
    expect(error).toMatchObject({ rpc: -32042, data: { elicitations: two().data } });
    expect(elicited).toEqual(['a', 'b']);
  });

  it('is a question where requests are made again, without ids', () => {
    const { turn: given, elicited } = turn(r20260728);
    expect(askToVisit(two(), given, {})).toEqual({
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
    ['2025-06-18, which has no such elicitation', r20250618, url, { code: 'client/lacks' }],
    ['a client without elicitation', r20251125, {}, { code: 'client/lacks' }],
    ['a client with forms only', r20251125, { elicitation: { form: {} } }, { code: 'client/lacks' }],
    ['a client with forms only that makes requests again', r20260728, { elicitation: {} }, { rpc: -32021 }],
  ])('is refused to %s', (_, dialect, capabilities, expected) => {
    const { turn: given, elicited } = turn(dialect, capabilities);
    expect(thrownBy(() => askToVisit(two(), given, {}))).toMatchObject(expected);
    expect(elicited).toEqual([]);
  });

  it('names the capability that is missing', () => {
    const error = thrownBy(() => askToVisit(two(), turn(r20260728, {}).turn, {}));
    expect(error.data).toEqual({ requiredCapabilities: { elicitation: { url: {} } } });
  });

  it('is asked again of who went, and not of who would not', () => {
    const { turn: given } = turn(r20260728);
    const after = (action: string, key = 'visit-0') => ({ inputResponses: { [key]: { action } } }) as never;
    expect(askToVisit(two(), given, after('accept'))).toMatchObject({ resultType: 'input_required' });
    expect(askToVisit(two(), given, after('decline', 'own'))).toMatchObject({ resultType: 'input_required' });
    for (const action of ['decline', 'cancel'])
      expect(thrownBy(() => askToVisit(two(), given, after(action)))).toMatchObject({ code: 'client/declined' });
  });
});
