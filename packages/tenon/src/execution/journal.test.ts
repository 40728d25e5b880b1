import { describe, expect, it } from 'vitest';
import { Journal, toRequestKey, toStepKey } from './journal.js';

const METHOD = 'roots/list';

describe('Journal', () => {
  it('gives each input request a key of its own, and the same key in each run [mrtr.input-request-keys-unique]', () => {
    const journal = new Journal();
    expect(journal.ask(METHOD, 'a', 0).ask).toBe('ask-0');
    expect(journal.ask(METHOD, 'a', 1).ask).toBe('ask-1');
    journal.add({ step: 's', value: 1 });
    expect(journal.ask(METHOD, 'b', 0).ask).toBe('ask-2');
    expect(journal.getRequest('a', 1)?.ask).toBe('ask-1');
    expect(journal.getRequest('a', 2)).toBeUndefined();
    expect(journal.size).toBe(4);
  });

  it('keeps its keys separate after it is stored, and when an entry is added again', () => {
    const journal = new Journal();
    const first = journal.ask(METHOD, 'a', 0);
    journal.add({ ...first, answer: { roots: [] } });
    journal.add({ ...first, answer: { roots: [] } });
    expect(journal.ask(METHOD, 'b', 0).ask).toBe('ask-1');
    const copy = new Journal(JSON.parse(JSON.stringify(journal.entries)));
    expect(copy.ask(METHOD, 'c', 0).ask).toBe('ask-2');
    expect(copy.entries.slice(0, 2)).toEqual(journal.entries);
  });

  it('accepts one response to each input request, and none without a request [mrtr.extra-responses-ignored]', () => {
    const journal = new Journal();
    journal.ask(METHOD, 'a', 0);
    expect(journal.answer('ask-9', {})).toBe(false);
    expect(journal.answer('ask-0', { n: 1 })).toBe(true);
    expect(journal.answer('ask-0', { n: 2 })).toBe(false);
    expect(journal.getRequest('a', 0)?.answer).toEqual({ n: 1 });
    expect(journal.listAnswered()).toHaveLength(1);
    expect(journal.listPending()).toEqual([]);
  });

  it('waits for nothing where the client has declined', () => {
    const journal = new Journal([{ ask: 'ask-0', method: METHOD, mark: 'a', refused: 'no' }]);
    expect(journal.listPending()).toEqual([]);
    expect(journal.answer('ask-0', {})).toBe(false);
  });

  it('distinguishes steps of one name by their index, and from input requests', () => {
    const journal = new Journal([{ step: 'a', value: 1 }, { step: 'a', n: 1, value: 2 }, { step: '1 a' }]);
    expect([0, 1, 2].map(n => journal.step('a', n)?.value)).toEqual([1, 2, undefined]);
    expect(journal.step('1 a', 0)).toEqual({ step: '1 a' });
    expect(journal.getRequest('a', 0)).toBeUndefined();
    expect(journal.size).toBe(3);
  });

  it('merges entries of another journal, and keeps its own', () => {
    const journal = new Journal([{ step: 'mine', value: 1 }]);
    journal.ask(METHOD, 'a', 0);
    const other = new Journal(journal.entries.filter(entry => !('step' in entry)));
    other.answer('ask-0', { roots: [] });
    other.add({ step: 'theirs', value: 2 });
    journal.merge(other);
    expect(journal.getRequest('a', 0)?.answer).toEqual({ roots: [] });
    expect([journal.step('mine', 0)?.value, journal.step('theirs', 0)?.value]).toEqual([1, 2]);
    other.ask(METHOD, 'a', 0);
    journal.merge(other);
    expect(journal.getRequest('a', 0)?.answer).toEqual({ roots: [] });
  });

  it('matches a response with its request, whatever its key in the other journal', () => {
    const [journal, other] = [new Journal(), new Journal()];
    for (const mark of ['a', 'b']) journal.ask(METHOD, mark, 0);
    for (const mark of ['b', 'a']) other.ask(METHOD, mark, 0);
    other.answer('ask-0', { of: 'b' });
    journal.merge(other);
    expect(journal.getRequest('b', 0)).toMatchObject({ ask: 'ask-1', answer: { of: 'b' } });
    expect(journal.listPending()).toMatchObject([{ ask: 'ask-0', mark: 'a' }]);
  });

  it('lists the entries that a run has not reached', () => {
    const journal = new Journal([{ step: 'a' }, { ask: 'ask-0', method: METHOD, mark: 'm' }]);
    expect(journal.findFirstUnvisited(new Set())).toMatchObject({ step: 'a' });
    expect(journal.findFirstUnvisited(new Set([toStepKey('a', 0)]))).toMatchObject({ ask: 'ask-0' });
    expect(journal.findFirstUnvisited(new Set([toStepKey('a', 0), toRequestKey('m', 0)]))).toBeUndefined();
  });
});
