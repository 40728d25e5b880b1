/** The published schemas of what commands print with `--json`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv, type ValidateFunction } from 'ajv';

const folder = fileURLToPath(new URL('../../packages/cli/schemas', import.meta.url));
const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const validators = new Map<string, ValidateFunction>(
  readdirSync(folder).map(file => [
    file.replace(/\.json$/, ''),
    ajv.compile(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
  ]),
);

/** Names of the commands that have a schema. */
export const schemaNames = (): string[] => [...validators.keys()];

/** Throws unless a line fits the schema of a command. */
export function checkJsonLine(name: string, line: string): void {
  const validate = validators.get(name);
  if (!validate) throw new Error(`tenon ${name} --json has no schema: ${line}`);
  if (!validate(JSON.parse(line)))
    throw new Error(`tenon ${name} --json: ${ajv.errorsText(validate.errors)}: ${line.slice(0, 2000)}`);
}

/**
 * Throws unless the output of a command with `--json` fits its schemas: lines of JSON on standard output. On standard
 * error, servers and runtimes may write other lines, too.
 */
export function checkJsonOutput(args: readonly string[], { out, err }: { readonly out: string; readonly err: string }) {
  const dashes = args.indexOf('--');
  const own = dashes < 0 ? args : args.slice(0, dashes);
  const [name = ''] = own;
  if (!own.includes('--json') || own.includes('--help') || !validators.has(name)) return;
  for (const line of out.split('\n').filter(Boolean)) checkJsonLine(name, line);
  for (const line of err.split('\n')) {
    if (line.startsWith('{"code"')) checkJsonLine('error', line);
    if (line.startsWith('{"level"')) checkJsonLine('note', line);
  }
}
