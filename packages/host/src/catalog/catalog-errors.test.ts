import { expect, it } from 'vitest';
import { createUnknownNameError } from './catalog-errors.js';

it.each([
  ['log', ['notes__log', 'notes__blog'], 'Did you mean "notes__log"?'],
  ['mcp__gateway__notes__log', ['notes__log', 'git__add'], 'Did you mean "notes__log"?'],
  ['log', ['notes__log', 'git__log'], 'Choose a name from tools/list'],
  ['notes__lgo', ['notes__log'], 'Did you mean "notes__log"?'],
  ['send', ['mail__resend'], 'Choose a name from tools/list'],
])('proposes the only name with another prefix, or the most similar one: %j of %j', (name, names, advice) => {
  expect(createUnknownNameError('tools', name, { names }).message).toBe(`Unknown tool: ${name}. ${advice}`);
});
