import { readFileSync } from 'node:fs';
import { isObject } from '@tenon/base';
import { decodeText } from '@tenon/base/node';
import type { Command, Option } from 'commander';
import { createUsageError } from '../usage-error.js';

/** Member of the configuration with the path of the module. */
const MODULE = 'server';

/**
 * Sets options of a command from a JSON file. Its members are the long options in camel case: `drainTimeout` for
 * `--drain-timeout`. Options on the command line come first. Returns the member `server`.
 */
export function applyConfiguration(command: Command, file: string): string | undefined {
  const { [MODULE]: server, ...members } = readMembers(file);
  if (server !== undefined && typeof server !== 'string')
    throw createUsageError(`${file}: \`${MODULE}\` is not a path`, 'write the path of the server module');
  for (const [name, value] of Object.entries(members)) {
    const option = command.options.find(each => each.attributeName() === name && !each.hidden);
    if (option === undefined || name === 'config') {
      const names = command.options.filter(({ hidden }) => !hidden).map(each => each.attributeName());
      const hint = `use \`${MODULE}\` or one of: ${names.filter(each => each !== 'config').join(', ')}`;
      throw createUsageError(`${file}: unknown member "${name}"`, hint);
    }
    if (command.getOptionValueSource(name) === 'cli') continue;
    command.setOptionValueWithSource(name, parseMember(file, name, value, option), 'config');
  }
  return server;
}

function readMembers(file: string): Readonly<Record<string, unknown>> {
  const hint = 'write a JSON object such as { "server": "server.js", "port": 3000 }';
  let value: unknown;
  try {
    value = JSON.parse(decodeText(readFileSync(file)));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'no valid JSON' : 'the file cannot be read';
    throw createUsageError(`${file}: ${reason}`, hint);
  }
  if (isObject(value)) return { ...value };
  throw createUsageError(`${file}: no JSON object`, hint);
}

function parseMember(file: string, name: string, value: unknown, option: Option): unknown {
  const takesText = option.required || option.optional;
  if (takesText === (typeof value === 'boolean'))
    throw createUsageError(
      `${file}: invalid \`${name}\``,
      takesText ? 'write a text or a number' : 'write true or false',
    );
  if (!takesText) return value;
  const text = Array.isArray(value) ? value.join(',') : String(value);
  try {
    return option.parseArg === undefined ? text : option.parseArg(text, undefined as never);
  } catch (error) {
    throw createUsageError(`${file}: invalid \`${name}\``, error instanceof Error ? error.message : 'see --help');
  }
}
