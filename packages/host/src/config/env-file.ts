import { TenonError } from '@tenon/base';
import { quoteName } from './config-finding.js';
import { type EntryParser, MAX_VALUES, readResolvedRecord, readResolvedText } from './entry-parser.js';
import type { JsonNode } from './json-node.js';
import { resolvePath } from './paths.js';

/** Reads a file of environment variables. A `TenonError` that it throws is reported unchanged. */
export type ReadEnvFile = (path: string) => Promise<Readonly<Record<string, string>>>;

/** Reads the environment variables of a command: those of its `envFile`, overridden by those of its `env`. */
export async function readEnv(
  parser: EntryParser,
  readEnvFile: ReadEnvFile | undefined,
): Promise<Record<string, string> | undefined> {
  const [fileSpot, spot] = [parser.members.get('envFile'), parser.members.get('env')];
  const fromFile = fileSpot && (await loadEnvFile(parser, fileSpot, readEnvFile));
  const written = spot && (await readResolvedRecord(parser, 'env', spot));
  for (const [name, each] of spot?.members ?? [])
    if (each.kind !== 'null' && !isVariable(name))
      parser.reportError('config/shape', spot as JsonNode, `invalid variable name ${quoteName(name)}`, {
        hint: 'rename the variable',
      });
  const removed = [...(spot?.members ?? [])].flatMap(([name, { kind }]) => (kind === 'null' ? [name] : []));
  if (!fromFile && !written) return undefined;
  const env = Object.entries(fromFile ?? {}).filter(([name]) => isVariable(name) && !removed.includes(name));
  return Object.fromEntries([...env, ...Object.entries(written ?? {})]);
}

const isVariable = (name: string): boolean => name !== '' && !/[=\0]/.test(name);

async function loadEnvFile(
  parser: EntryParser,
  spot: JsonNode,
  readEnvFile: ReadEnvFile | undefined,
): Promise<Readonly<Record<string, string>> | undefined> {
  const path = await readResolvedText(parser, 'envFile', spot);
  if (path === undefined) return undefined;
  if (!readEnvFile)
    return parser.reportError('config/env-file', spot, '`envFile` is not supported in this runtime', {
      hint: 'use `env`',
    });
  try {
    const env = await readEnvFile(resolvePath(parser.workspace, path));
    if (Object.keys(env).length <= MAX_VALUES) return env;
    return parser.reportError('config/too-large', spot, 'too many variables', { expected: `at most ${MAX_VALUES}` });
  } catch (cause) {
    return parser.reportError('config/env-file', spot, 'cannot read the file of variables', {
      ...(TenonError.is(cause) && { received: cause.received }),
      hint: 'create the file, or remove `envFile`',
    });
  }
}
