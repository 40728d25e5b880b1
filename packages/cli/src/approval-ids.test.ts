import { describe, expect, it } from 'vitest';
import { findId, shortenIds } from './approval-ids.js';

const digest = 'd'.repeat(43);
const first = `${digest}.11111111-1111-4111-8111-111111111111`;
const second = `${digest}.11111111-2222-4222-8222-222222222222`;
const third = `${digest}.33333333-3333-4333-8333-333333333333`;

describe('shortened ids of approvals', () => {
  it('have 8 characters where these are unique', () => {
    expect([...shortenIds([first, third]).values()]).toEqual(['11111111', '33333333']);
  });

  it('have as many more as are needed to be unique', () => {
    expect([...shortenIds([first, second]).values()]).toEqual(['11111111-1', '11111111-2']);
  });

  it('are found by their short form and by any longer beginning', () => {
    expect(findId([first, third], '3333', 'question')).toBe(third);
    expect(findId([first, third], third, 'question')).toBe(third);
  });

  it('are refused when several ids begin so, or none', () => {
    expect(() => findId([first, second], '1111', 'question')).toThrow('question 1111: 2 ids begin with it');
    expect(() => findId([first, third], digest, 'question')).toThrow('2 ids begin with it');
    for (const text of ['', '9']) expect(() => findId([first], text, 'approval')).toThrow('not found');
  });
});
