import type { Prompt, Tool } from 'tenon';
import { formatParameters, formatType } from './type-text.js';

/** Formats a tool as a TypeScript signature: `count(title: string): { words: number }`. */
export function formatToolSignature({ name, inputSchema, outputSchema }: Tool): string {
  const parameters = formatParameters(inputSchema);
  return `${name}(${parameters.join(', ')})${outputSchema ? `: ${formatType(outputSchema)}` : ''}`;
}

/** Formats a prompt as a TypeScript signature. Its arguments are texts. */
export function formatPromptSignature({ name, arguments: parameters = [] }: Prompt): string {
  const shown = parameters.map(each => `${each.name}${each.required ? '' : '?'}: string`);
  return `${name}(${shown.join(', ')})`;
}
