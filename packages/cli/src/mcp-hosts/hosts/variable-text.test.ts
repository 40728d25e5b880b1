// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of configurations are written so
import { expect, it } from 'vitest';
import { mcpHosts } from './mcp-hosts.js';
import { formatVariables, parseVariables, toVariableName } from './variable-text.js';

it.each(mcpHosts)('reads the variables that it writes in the form of $title', ({ variables }) => {
  for (const text of ['${A}', 'Bearer ${A_1}/${b}', '$A {A} <a b>', 'plain']) {
    const written = formatVariables(text, variables);
    if (variables.otherTexts === undefined) expect(parseVariables(written, variables)).toBe(text);
    if (text.includes('${') && variables.text !== '${VAR}') expect(written).not.toContain('${A');
  }
});

it('reads all forms that a host accepts, and inputs of VS Code', () => {
  const gemini = mcpHosts.find(({ id }) => id === 'gemini-cli')?.variables ?? {};
  expect(parseVariables('$TOKEN ${TOKEN} ${env:TOKEN}', gemini)).toBe('${TOKEN} ${TOKEN} ${TOKEN}');
  expect(parseVariables('Bearer ${input:api-key.2}', {})).toBe('Bearer ${API_KEY_2}');
  expect(toVariableName('2fa')).toBe('_2FA');
});
