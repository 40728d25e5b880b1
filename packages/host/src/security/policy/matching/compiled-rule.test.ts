import { describe, expect, it } from 'vitest';
import type { ActionRequest } from '../action-request.js';
import type { Rule } from '../rules.js';
import { compileRule } from './compiled-rule.js';

const request: ActionRequest = {
  kind: 'tool',
  server: 'notes',
  name: 'add',
  trusted: false,
  principal: undefined,
  arguments: { title: 'a plan', password: 'hunter2', list: [{ id: 1 }] },
};

const findMismatch = (rule: Rule, action: Partial<ActionRequest> = {}) =>
  compileRule(rule).findMismatch({ ...request, ...action })?.();

describe('findMismatch', () => {
  it.each<[string, Rule, Partial<ActionRequest>?]>([
    ['server is "notes", not "mail"', { action: 'deny', server: 'mail' }],
    ['server is "notes", not ["mail","web"]', { action: 'deny', server: ['mail', 'web'] }],
    ['tool is "add", not "remove"', { action: 'deny', tool: 'remove' }],
    ['name is "add", not "remove"', { action: 'deny', name: 'remove' }],
    ['it is about a prompt, and this is a tool', { action: 'deny', prompt: '*' }],
    ['it is about a resource, and this is a tool', { action: 'deny', resource: 'file:///**' }],
    ['the caller is anonymous', { action: 'deny', principal: 'alice' }],
    ['principal is "bob", not "alice"', { action: 'deny', principal: 'alice' }, { principal: 'bob' }],
    ['the caller is not anonymous', { action: 'deny', principal: null }, { principal: 'bob' }],
    ['readOnly is about tools, and this is a prompt', { action: 'deny', readOnly: true }, { kind: 'prompt' }],
    ['argument title is "a plan", not "another"', { action: 'deny', arguments: { title: 'another' } }],
    ['argument password is …, not the expected value', { action: 'deny', arguments: { password: 'secret' } }],
    ['argument list is an object, not "x"', { action: 'deny', arguments: { list: 'x' } }],
    ['argument absent is absent', { action: 'deny', arguments: { absent: 'x' } }],
    ['argument absent is absent', { action: 'allow', arguments: { absent: 'x' } }],
    ['argument /password is not in `only`', { action: 'allow', only: ['title', 'list'] }],
  ])('returns %s', (reason, rule, action) => {
    expect(findMismatch(rule, action)).toBe(reason);
  });

  it('returns undefined for a match', () => {
    expect(findMismatch({ action: 'deny', server: 'notes', tool: 'add', arguments: { title: 'a *' } })).toBeUndefined();
    expect(findMismatch({ action: 'allow', only: ['title', 'password', 'list'] })).toBeUndefined();
    expect(findMismatch({ action: 'deny', principal: null })).toBeUndefined();
  });
});
