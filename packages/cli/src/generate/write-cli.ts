import type { Tool } from 'tenon';
import { sanitizeText } from 'tenon/host';
import { createGeneratedCommands, type GeneratedCommand, toKebabCase } from './create-commands.js';
import { RUNTIME } from './runtime-text.js';

/** Server that the generated program connects to. */
export type GeneratedTarget =
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[]; readonly pass: readonly string[] };

export interface WriteCliOptions {
  /** Name of the server. */
  readonly name: string;
  /** Version of the server. */
  readonly version: string;
  readonly target: GeneratedTarget;
  /** Version of the library that the program needs. */
  readonly libraryVersion: string;
}

/**
 * Writes a command for the tools of a server, as the text of a JavaScript module. Equal tools in any order give the same
 * text. Texts of the server occur only in string literals.
 */
export function writeCli(tools: readonly Tool[], { name, version, target, libraryVersion }: WriteCliOptions): string {
  const program = toKebabCase(name) || 'server';
  const variable = program.replaceAll('-', '_').toUpperCase();
  return `#!/usr/bin/env node
// @ts-check
// Written by \`tenon generate cli\`. Changes are lost when it runs again.
// Needs Node 20.19 or later, and the package of the client: npm install tenon@${libraryVersion}
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { connect, TenonError } from 'tenon';

const PROGRAM = ${quote(program)};
const VERSION = ${quote(sanitizeText(version, { max: 100 }))};
const TITLE = ${quote(sanitizeText(name, { max: 100 }))};

${writeTarget(target, /^\d/.test(variable) ? `MCP_${variable}` : variable)}

/**
 * @typedef {{ name: string, property: string, type: 'string' | 'number' | 'integer' | 'boolean' | 'json', list?: true,
 *   required?: true, choices?: (string | number)[], description: string }} Option
 * @typedef {{ name: string, tool: string, description: string, options: Option[] }} Command
 */

/** @type {Command[]} */
const commands = [
${createGeneratedCommands(tools).map(writeCommand).join('\n')}
];

${RUNTIME}`;
}

function writeTarget(target: GeneratedTarget, variable: string): string {
  if ('url' in target)
    return `const TOKEN = process.env.${variable}_TOKEN;
const TARGET = { url: process.env.${variable}_URL ?? ${quote(target.url)}, ...(TOKEN ? { auth: TOKEN } : {}) };
const VARIABLES = { ${variable}_URL: 'another URL of the server', ${variable}_TOKEN: 'a token to send' };`;
  const { command, args, pass } = target;
  const env = pass.map(name => `    ${quote(name)}: process.env[${quote(name)}] ?? '',`);
  return `const TARGET = {
  command: ${quote(command)},
  args: [${args.map(quote).join(', ')}],
  env: {${env.length === 0 ? '' : `\n${env.join('\n')}\n  `}},
};
const VARIABLES = {${pass.map(name => ` ${quote(name)}: 'passed to the server'`).join(',')}${pass.length > 0 ? ' ' : ''}};`;
}

function writeCommand({ name, tool, description, options }: GeneratedCommand): string {
  const list = options.map(option => `      ${writeOption(option)},`);
  return [
    '  {',
    `    name: ${quote(name)},`,
    `    tool: ${quote(tool)},`,
    `    description: ${quote(description)},`,
    ...(list.length === 0 ? ['    options: [],'] : ['    options: [', ...list, '    ],']),
    '  },',
  ].join('\n');
}

const writeOption = (option: GeneratedCommand['options'][number]): string =>
  `{ ${Object.entries(option)
    .map(([key, value]) => `${key}: ${quote(value)}`)
    .join(', ')} }`;

/** Returns the literal of a value. Characters that end a line in some parsers are escaped. */
const quote = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escapeCharacter)
    .replaceAll('*/', '*\\/');

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
