import { spawn } from 'node:child_process';
import { basename } from 'node:path';
import type { CommandTarget } from '@tenon/host';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';

/** Name of an npm package without a version or tag. */
const UNPINNED = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i;
/** Time to wait for the registry, in milliseconds. */
const TIMEOUT = 30_000;
const MAX_OUTPUT = 10_000;

/**
 * Adds the version to the package of a command such as `npx -y package`. Returns other commands unchanged.
 * @throws TenonError `hosts/pin` if npm does not report a version.
 */
export async function pinVersion(target: CommandTarget, env: CliContext['env']): Promise<CommandTarget> {
  const { command, args = [] } = target;
  const index = findPackage(command, args);
  const spec = index === undefined ? undefined : args[index];
  if (index === undefined || spec === undefined) return target;
  const [, option = '', name = ''] = /^(--package=)?(.*)$/s.exec(spec) ?? [];
  if (!UNPINNED.test(name)) return target;
  const version = await readVersion(name, env);
  return { ...target, args: args.with(index, `${option}${name}@${version}`) };
}

/** Finds the argument that names the package: the value of `--package`, else the first that is no option. */
function findPackage(command: string, args: readonly string[]): number | undefined {
  if (!/^(?:npx|bunx)(?:\.cmd|\.exe)?$/i.test(basename(command))) return undefined;
  const option = args.findIndex(each => /^(?:-p|--package)(?:=|$)/.test(each));
  if (option >= 0) return args[option]?.includes('=') ? option : option + 1;
  const index = args.findIndex(each => !each.startsWith('-'));
  return index < 0 ? undefined : index;
}

async function readVersion(name: string, env: CliContext['env']): Promise<string> {
  const output = await runNpm(['view', name, 'version', '--json', '--loglevel=error'], env);
  const version = parseVersion(output.text);
  if (version !== undefined) return version;
  throw new TenonError('hosts/pin', `the version of ${name} could not be read from npm`, {
    received: output.error,
    hint: `check the name, or write a version: ${name}@1.2.3; --no-pin writes it without one`,
  });
}

function parseVersion(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' && /^\d+\.\d+\.\d+[\w.+-]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function runNpm(args: readonly string[], env: CliContext['env']): Promise<{ text: string; error?: string }> {
  return new Promise(resolve => {
    // npm is a batch file on Windows, which needs a shell. The name of the package has no special characters.
    const shell = process.platform === 'win32';
    const child = spawn('npm', args, { env, shell, stdio: ['ignore', 'pipe', 'ignore'], timeout: TIMEOUT });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      if (text.length < MAX_OUTPUT) text += part;
    });
    child.once('error', error => resolve({ text: '', error: error.message }));
    child.once('close', (code, signal) =>
      resolve(code === 0 ? { text } : { text: '', error: `npm view ended with ${signal ?? code}` }),
    );
  });
}
