import { execFile } from 'node:child_process';
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { tryParseJson } from '@tenon/base';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { loadCompiler } from '../migrate/compiler.js';
import type { MigrationFinding } from '../migrate/finding.js';
import { type ChangedFile, migrateProject } from '../migrate/migrate-project.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { writeProjectFile } from '../project-file.js';
import { formatCount } from '../screen.js';
import { summaries } from '../summaries.js';
import { readArgumentFile } from '../tools/read-json.js';
import { createUsageError } from '../usage-error.js';

interface MigrateOptions {
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly json?: boolean;
}

/** Result of `tenon migrate --json`. */
export interface MigrateReport {
  /** Absolute path of the project. */
  readonly project: string;
  /** Changed files, relative to the project. */
  readonly changed: readonly string[];
  /** False with `--dry-run`. */
  readonly written: boolean;
  /** Unified diff of all files. Only with `--dry-run`. */
  readonly diff?: string;
  readonly findings: readonly MigrationFinding[];
}

export function createMigrateCommand(context: CliContext): Command {
  return createCommand('migrate', summaries.migrate)
    .argument('[dir]', 'folder of the project (default: the current folder)')
    .option('--dry-run', 'print the changes as a diff, and write nothing')
    .option('--force', 'also change files that are not committed in git')
    .option('--json', 'print the result as JSON on standard output')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon migrate --dry-run', 'show the changes of the project in this folder'],
        ['tenon migrate ./server', 'change the project in ./server'],
        ['npx -p typescript@5 -p @tenon/cli tenon migrate', 'with the parser of TypeScript 5, for projects without it'],
      ]),
    )
    .action((dir: string | undefined, options: MigrateOptions) => migrate(context, dir, options));
}

async function migrate(context: CliContext, dir: string | undefined, options: MigrateOptions): Promise<void> {
  const { screen, cwd } = context;
  const project = resolve(cwd, dir ?? '.');
  const packageText = await readPackageFile(project);
  if (!options.dryRun && !options.force) await requireCommitted(project);
  const compiler = loadCompiler(project, import.meta.filename);
  const { changes, findings } = await migrateProject(compiler, project, packageText);
  if (!options.dryRun)
    for (const { file, after } of changes) await writeProjectFile(project, join(project, file), after);
  const diff = options.dryRun ? await formatDiff(changes) : undefined;
  const report: MigrateReport = {
    project,
    changed: changes.map(({ file }) => file),
    written: !options.dryRun,
    ...(diff === undefined ? {} : { diff }),
    findings,
  };
  context.code = exitCodes.success;
  if (options.json) return screen.printJson(report);
  if (diff !== undefined) screen.print(diff.trimEnd());
  else for (const { file } of changes) screen.print(`changed ${file}`);
  for (const finding of findings) screen.print(formatFinding(finding));
  screen.note(formatSummary(report));
}

/** Reads `package.json`. Node finds no package from a folder whose `package.json` is invalid. */
async function readPackageFile(project: string): Promise<string> {
  const path = join(project, 'package.json');
  const stats = await lstat(path).catch(() => undefined);
  if (!stats?.isFile()) throw createUsageError(`${project}: no package.json`, 'pass the folder of a project');
  const text = await readArgumentFile(path, 'package.json', 'check its permissions');
  if (tryParseJson(text) === undefined) throw createUsageError('package.json: invalid JSON', 'correct the file');
  return text;
}

/** Throws if files of the project are not committed, because the changes could then not be undone. */
async function requireCommitted(project: string): Promise<void> {
  // A repository must not start a program here, which `core.fsmonitor` of its configuration could.
  const args = ['-c', 'core.fsmonitor=false', 'status', '--porcelain', '--', '.'];
  const status = await promisify(execFile)('git', args, { cwd: project }).catch(() => undefined);
  if (status?.stdout === '') return;
  const problem =
    status === undefined ? 'the project is not in a git repository' : 'the project has uncommitted changes';
  throw createUsageError(problem, 'commit them first, or pass --force; --dry-run shows the changes');
}

async function formatDiff(changes: readonly ChangedFile[]): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  return changes
    .map(({ file, before, after }) =>
      createTwoFilesPatch(file, file, before, after, undefined, undefined, { context: 2 }),
    )
    .join('');
}

function formatFinding({ kind, file, line, what, fix }: MigrationFinding): string {
  return `${kind === 'left' ? 'not changed' : 'check'} ${file}:${line}: ${what}: ${fix}`;
}

function formatSummary({ changed, written, findings }: MigrateReport): string {
  const left = findings.filter(({ kind }) => kind === 'left').length;
  const checks = findings.length - left;
  const next = written ? 'Next: install the dependencies, then compile and test the project.' : 'Nothing was written.';
  return `${formatCount(changed.length, 'file')} ${written ? 'changed' : 'to change'}, ${formatCount(left, 'place')} not changed, ${checks} to check. ${next}`;
}
