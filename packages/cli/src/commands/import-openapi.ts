import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { isUrlText } from '@tenon/base';
import {
  type OpenApiContent,
  type OpenApiReport,
  type ReadOperationsOptions,
  readOperations,
  requireApiUrl,
} from '@tenon/openapi';
import type { Command } from 'commander';
import { TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { listCredentials } from '../openapi/list-credentials.js';
import { writeServer } from '../openapi/write-server.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { parseCount } from '../options/option-parsers.js';
import { writeProjectFile } from '../project-file.js';
import { summaries } from '../summaries.js';
import { createUsageError } from '../usage-error.js';

/** Number of tools above which the command warns, because models choose worse among many. */
const MANY_TOOLS = 40;

/** Number of entries of a list that are printed. The JSON report has all of them. */
const MAX_NOTED = 20;

/** Options of the document that the command has too, under the same names. */
const SHARED_OPTIONS = [
  'name',
  'baseUrl',
  'include',
  'exclude',
  'readOnly',
  'resources',
  'serverOrigins',
  'maxOutputParts',
  'maxOutputSize',
] as const satisfies readonly (keyof ReadOperationsOptions)[];

interface ImportOptions extends Pick<ReadOperationsOptions, (typeof SHARED_OPTIONS)[number]> {
  readonly out?: string;
  readonly tag?: string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Result of `tenon import-openapi --json`: the report of the document, and the module. */
export interface ImportReport extends OpenApiReport {
  /** File that was written. Absent without `--out`. */
  readonly file?: string;
  /** Text of the module. Absent with `--out`. */
  readonly text?: string;
  readonly tools: readonly string[];
  /** URIs of resources, and templates of them. */
  readonly resources: readonly string[];
  /** Environment variables that the server reads. */
  readonly variables: readonly string[];
}

export function createImportOpenapiCommand(context: CliContext): Command {
  return createCommand('import-openapi', summaries['import-openapi'])
    .argument('<document>', 'file or URL of a document of Swagger 2.0 or OpenAPI 3, in JSON or YAML')
    .option('-o, --out <file>', 'file to write (default: standard output)')
    .option('--name <name>', 'name of the server (default: the title of the document)')
    .option('--base-url <url>', 'base URL of the API (default: the first server of the document)')
    .option(
      '--include <patterns...>',
      'operations to take, such as `GET /pets*` or an operationId; * stands for any text',
    )
    .option('--exclude <patterns...>', 'operations to leave out')
    .option('--tag <tags...>', 'take only operations with one of these tags')
    .option('--read-only', 'take only operations that read: GET and HEAD')
    .option('--resources <patterns...>', 'GET operations to serve as resources or resource templates')
    .option('--server-origins <origins...>', 'origins of other servers that operations may call')
    .option(
      '--max-output-parts <number>',
      'parts of the schema of a response (default: 400); a larger one is left out',
      parseCount,
    )
    .option(
      '--max-output-size <number>',
      'length of the schema of a response, in characters (default: 16384)',
      parseCount,
    )
    .option('--force', 'replace the file if it exists')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon import-openapi api.yaml --out server.ts', 'then: tenon serve server.ts'],
        ['tenon import-openapi https://example.com/openapi.json --read-only', 'print it, with tools that only read'],
        ["tenon import-openapi api.yaml --include 'GET /pets*' --out pets.ts", 'choose operations'],
      ]),
    )
    .action((document: string, options: ImportOptions) => importDocument(context, document, options));
}

async function importDocument(context: CliContext, reference: string, options: ImportOptions): Promise<void> {
  const { out, force = false, json } = options;
  if (out !== undefined && !/\.[mc]?ts$/.test(out))
    throw createUsageError(`not a TypeScript file: ${out}`, 'pass a name that ends in .ts');
  const content = await readContent(context.cwd, reference, options);
  const { operations, report } = content;
  const { leftOut } = report;
  if (operations.length === 0)
    throw createUsageError(
      [
        `${reference}: no operations`,
        ...leftOut.slice(0, MAX_NOTED).map(each => `${each.operation}: ${each.reason}`),
      ].join('\n'),
      leftOut.length > 0 ? 'correct the document' : 'pass other values for --include, --exclude, --tag or --read-only',
    );
  const text = writeModule(content, reference);
  if (out !== undefined) await writeModuleFile(context.cwd, out, text, force);
  context.code = exitCodes.success;
  reportImport(context, report, text, options);
  if (json !== true && operations.length > MANY_TOOLS) {
    context.screen.note(
      `${operations.length} tools are many for a model: choose with --include, --exclude, --tag or --read-only, or serve them with \`tenon gateway --budget\``,
    );
  }
}

async function readContent(cwd: string, reference: string, options: ImportOptions): Promise<OpenApiContent> {
  const document = isUrlText(reference) ? reference : resolve(cwd, reference);
  const shared: ReadOperationsOptions = Object.fromEntries(SHARED_OPTIONS.map(name => [name, options[name]]));
  try {
    return await readOperations(document, { ...shared, tags: options.tag });
  } catch (error) {
    throw toUsageError(error);
  }
}

/** Converts an error about the document. What is wrong with it is wrong with an argument of the command. */
function toUsageError(error: unknown): unknown {
  if (!TenonError.is(error) || !error.code.startsWith('openapi/')) return error;
  const { summary, received, hint } = error;
  return new TenonError('cli/usage', summary, { received, hint, cause: error });
}

function readApiUrl({ baseUrl }: OpenApiContent): string {
  try {
    return requireApiUrl(baseUrl, 'pass --base-url https://api.example.com');
  } catch (error) {
    throw toUsageError(error);
  }
}

function writeModule(content: OpenApiContent, reference: string): string {
  const { name, operations, schemes, version, description } = content;
  const url = readApiUrl(content);
  const prefix = name
    .toUpperCase()
    .replace(/-/g, '_')
    .replace(/^(?=\d)/, 'API_');
  return writeServer(operations, {
    name,
    version,
    description,
    url,
    urlVariable: `${prefix}_URL`,
    schemes,
    credentials: listCredentials(schemes, prefix),
    source: isUrlText(reference) ? removeSecrets(reference) : basename(reference),
  });
}

function removeSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

async function writeModuleFile(cwd: string, name: string, text: string, force: boolean): Promise<void> {
  const before = await readFile(resolve(cwd, name), 'utf8').catch(() => undefined);
  if (before !== undefined && before !== text && !force)
    throw createUsageError(`${name} exists`, 'pass another name, or --force to replace it');
  await writeProjectFile(cwd, name, text);
}

function reportImport(
  { screen }: CliContext,
  openApiReport: OpenApiReport,
  text: string,
  { out, json }: ImportOptions,
): void {
  const variables = [...new Set([...text.matchAll(/process\.env\.(\w+)/g)].map(([, name = '']) => name))];
  const { taken, changed, leftOut } = openApiReport;
  const tools = taken.filter(each => each.as === 'tool').map(({ name }) => name);
  const resources = taken.filter(each => each.as !== 'tool').map(({ name }) => name);
  const report: ImportReport = {
    ...(out === undefined ? { text } : { file: out }),
    tools,
    resources,
    variables,
    ...openApiReport,
  };
  if (json) return screen.printJson(report);
  noteList(
    screen,
    'changed',
    changed.flatMap(({ tool, changes }) => changes.map(change => `${tool}: ${change}`)),
  );
  noteList(
    screen,
    'left out',
    leftOut.map(({ operation, reason }) => `${operation}: ${reason}`),
  );
  if (out === undefined) return screen.print(text.trimEnd());
  screen.note(
    `wrote ${out}: ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}${resources.length === 0 ? '' : `, ${resources.length} ${resources.length === 1 ? 'resource' : 'resources'}`}\nIt reads these environment variables: ${variables.join(', ')}`,
  );
}

function noteList({ note }: CliContext['screen'], title: string, entries: readonly string[]): void {
  for (const entry of entries.slice(0, MAX_NOTED)) note(`${title}: ${entry}`, 'warning');
  if (entries.length > MAX_NOTED) note(`${title}: ${entries.length - MAX_NOTED} more, see --json`, 'warning');
}
