import { writeLiteral } from '@tenon/base/writers';
import { sanitizeText } from '@tenon/host';
import type { Tool } from 'tenon';
import { errorExitCodes } from '../exit-codes.js';
import { createGeneratedCommands, type GeneratedCommand, toKebabCase } from './create-commands.js';
import { type GeneratedTarget, type GeneratedText, listEnvironmentVariables } from './create-target.js';
import { RUNTIME } from './runtime-text.js';

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
import { escapeForTerminal, writeJson } from 'tenon/escape';

const PROGRAM = ${writeLiteral(program)};
const VERSION = ${writeLiteral(sanitizeText(version, { max: 100 }))};
const TITLE = ${writeLiteral(sanitizeText(name, { max: 100 }))};

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

/** @type {[start: string, code: number][]} Beginnings of the codes of errors. The first match counts. */
const EXIT_BY_CODE = [
${errorExitCodes.map(([start, code]) => `  [${writeLiteral(start)}, ${code}],`).join('\n')}
];

${RUNTIME}`;
}

/** Writes a function, because a variable that is not set must not prevent `--help`. */
function writeTarget(target: GeneratedTarget, variable: string): string {
  const read = listEnvironmentVariables(target).map(name => `${writeLiteral(name)}: 'passed to the server'`);
  if ('url' in target) {
    const variables = [`${variable}_URL: 'another URL of the server'`, `${variable}_TOKEN: 'a token to send'`, ...read];
    return `const TOKEN = process.env.${variable}_TOKEN;
const getTarget = () => ({
  url: process.env.${variable}_URL || ${writeText(target.url)},
  headers: ${writeMembers(target.headers)},
  ...(TOKEN ? { auth: TOKEN } : {}),
});
const VARIABLES = { ${variables.join(', ')} };`;
  }
  const { command, args, env } = target;
  return `const getTarget = () => ({
  command: ${writeText(command)},
  args: [${args.map(writeText).join(', ')}],
  env: ${writeMembers(env)},
});
const VARIABLES = {${read.length > 0 ? ` ${read.join(', ')} ` : ''}};`;
}

/** Writes an object without the members whose variable is not set. */
function writeMembers(members: Readonly<Record<string, GeneratedText>>): string {
  const lines = Object.entries(members).map(([name, text]) => `    [${writeLiteral(name)}]: ${writeMember(text)},`);
  return lines.length === 0 ? '{}' : `omitUnset({\n${lines.join('\n')}\n  })`;
}

function writeMember(text: GeneratedText): string {
  const [part] = text;
  return text.length === 1 && typeof part === 'object'
    ? `process.env[${writeLiteral(part.variable)}]`
    : writeText(text);
}

/** Writes an expression for a text. */
function writeText(text: GeneratedText): string {
  if (text.length === 0) return writeLiteral('');
  return text
    .map(part => (typeof part === 'string' ? writeLiteral(part) : `readVariable(${writeLiteral(part.variable)})`))
    .join(' + ');
}

function writeCommand({ name, tool, description, options }: GeneratedCommand): string {
  const list = options.map(option => `      ${writeOption(option)},`);
  return [
    '  {',
    `    name: ${writeLiteral(name)},`,
    `    tool: ${writeLiteral(tool)},`,
    `    description: ${writeLiteral(description)},`,
    ...(list.length === 0 ? ['    options: [],'] : ['    options: [', ...list, '    ],']),
    '  },',
  ].join('\n');
}

const writeOption = (option: GeneratedCommand['options'][number]): string =>
  `{ ${Object.entries(option)
    .map(([key, value]) => `${key}: ${writeLiteral(value)}`)
    .join(', ')} }`;
