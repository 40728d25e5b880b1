import { TenonError } from '../../jsonrpc/error.js';
import type { Spot } from './document.js';
import { resolvePath } from './places.js';
import { quoted } from './problem.js';
import { type Draft, filledAt, filledRecord, MAX_VALUES } from './values.js';

/** Reads a file of environment variables. A TenonError that it throws is told as it is. */
export type ReadEnvFile = (path: string) => Promise<Readonly<Record<string, string>>>;

/** The variables of a command: those of its `envFile`, and over them those of its `env`. */
export async function envOf(
  draft: Draft,
  readEnvFile: ReadEnvFile | undefined,
): Promise<Record<string, string> | undefined> {
  const [fileSpot, spot] = [draft.members.get('envFile'), draft.members.get('env')];
  const fromFile = fileSpot && (await envFileAt(draft, fileSpot, readEnvFile));
  const written = spot && (await filledRecord(draft, 'env', spot));
  for (const name of Object.keys(written ?? {}))
    if (!isVariable(name))
      draft.fault('config/shape', spot as Spot, `${quoted(name)} can not be the name of a variable`);
  const removed = [...(spot?.members ?? [])].flatMap(([name, { kind }]) => (kind === 'null' ? [name] : []));
  if (!fromFile && !written) return undefined;
  const env = Object.entries(fromFile ?? {}).filter(([name]) => isVariable(name) && !removed.includes(name));
  return Object.fromEntries([...env, ...Object.entries(written ?? {})]);
}

const isVariable = (name: string): boolean => name !== '' && !/[=\0]/.test(name);

async function envFileAt(
  draft: Draft,
  spot: Spot,
  readEnvFile: ReadEnvFile | undefined,
): Promise<Readonly<Record<string, string>> | undefined> {
  const path = await filledAt(draft, 'envFile', spot);
  if (path === undefined) return undefined;
  if (!readEnvFile) return draft.fault('config/env-file', spot, 'files can not be read here', { next: 'write `env`' });
  try {
    const env = await readEnvFile(resolvePath(draft.workspace, path));
    if (Object.keys(env).length <= MAX_VALUES) return env;
    return draft.fault('config/too-large', spot, 'too many variables', { expected: `at most ${MAX_VALUES}` });
  } catch (cause) {
    return draft.fault('config/env-file', spot, 'the file of variables can not be read', {
      ...(TenonError.is(cause) && { got: cause.got }),
      next: 'see that it is there, or take `envFile` out',
    });
  }
}
