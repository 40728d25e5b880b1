import { writePatternText } from '@tenon/base/writers';
import type { VariableForm } from './mcp-host.js';

/** Variables in the values of a server: `${NAME}`, as Claude Code and shells write them. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Returns the variable that makes up a whole value. */
export function getReference(text: string): string | undefined {
  return /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1];
}

export function formatReference(name: string): string {
  return `\${${name}}`;
}

export function listReferenceNames(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, name]) => (name === undefined ? [] : [name]));
}

/**
 * Writes the variables of a value in the form of a host. For a host without variables they become `<NAME>`, which the
 * user replaces.
 */
export function formatVariables(text: string, { text: form = '<VAR>' }: VariableForm): string {
  return text.replace(REFERENCE, (_, name: string) => form.replace('VAR', () => name));
}

/** Reads the variables of a value in the form of a host, and inputs of VS Code: `${input:api-key}` is `API_KEY`. */
export function parseVariables(text: string, { text: form = '<VAR>', otherTexts = [] }: VariableForm): string {
  return [form, ...otherTexts, ENV_FORM]
    .reduce((result, each) => result.replace(createPattern(each), (_, name: string) => formatReference(name)), text)
    .replace(/\$\{input:([A-Za-z][\w.-]*)\}/g, (_, id: string) => formatReference(toVariableName(id)));
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: editors write variables so
const ENV_FORM = '${env:VAR}';

function createPattern(form: string): RegExp {
  const [before = '', after = ''] = form.split('VAR').map(writePatternText);
  return new RegExp(`${before}([A-Za-z_][A-Za-z0-9_]*)${after}`, 'g');
}

/** Returns the usual form of the name of a variable: `api-key` is `API_KEY`. */
export function toVariableName(text: string): string {
  const name = text.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return /^\d/.test(name) ? `_${name}` : name;
}
