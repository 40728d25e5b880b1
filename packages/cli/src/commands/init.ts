import { basename, relative, resolve } from 'node:path';
import { quoteForShell } from '@tenon/base/writers';
import { type Command, Option } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import {
  detectPackageManager,
  formatScript,
  installDependencies,
  PACKAGE_MANAGERS,
  type PackageManager,
} from '../init/package-manager.js';
import { createProjectFiles, type ProjectTransport, TRANSPORTS } from '../init/project-files.js';
import { writeProject } from '../init/write-project.js';
import { createCommand, formatExamples } from '../options/create-command.js';
import { summaries } from '../summaries.js';
import { canRunTypeScript } from '../target/file-command.js';
import type { SelectOption } from '../terminal.js';
import { createUsageError } from '../usage-error.js';

interface InitOptions {
  readonly name?: string;
  readonly transport?: ProjectTransport;
  readonly packageManager?: PackageManager;
  readonly install: boolean;
  readonly input: boolean;
  readonly json?: boolean;
}

/** Result of `tenon init`, as `--json` prints it. */
export interface InitResult {
  /** Absolute path of the project. */
  readonly folder: string;
  /** Name of the npm package. */
  readonly name: string;
  readonly transport: ProjectTransport;
  readonly packageManager: PackageManager;
  /** Written files, relative to the folder. */
  readonly files: readonly string[];
  readonly installed: boolean;
  /** Command lines to run next. */
  readonly next: readonly string[];
}

const DEFAULT_FOLDER = 'mcp-server';
/** Valid names of npm packages. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const MAX_NAME_LENGTH = 214;
const TRANSPORT_OPTIONS: readonly SelectOption<ProjectTransport>[] = [
  { value: 'http', label: 'Connect to a URL (http)' },
  { value: 'stdio', label: 'Start the server (stdio)' },
];

export function createInitCommand(context: CliContext): Command {
  return createCommand('init', summaries.init)
    .argument('[dir]', `folder of the project (default: asked in a terminal, else ${DEFAULT_FOLDER})`)
    .option('--name <name>', 'name of the npm package (default: the name of the folder)')
    .addOption(
      new Option(
        '--transport <name>',
        'how hosts connect: to a URL, or by starting the server (default: asked in a terminal, else http)',
      ).choices(TRANSPORTS),
    )
    .addOption(
      new Option('--package-manager <name>', 'default: the one that runs this command, else npm').choices(
        PACKAGE_MANAGERS,
      ),
    )
    .option('--no-install', 'do not install the dependencies')
    .option('--json', 'print the result as JSON on standard output')
    .addHelpText(
      'after',
      formatExamples([
        ['tenon init notes', 'create a project in ./notes, and install its dependencies'],
        ['tenon init notes --transport stdio', 'a server that hosts start'],
        ['npm create tenon notes', 'the same, without an installed command'],
      ]),
    )
    .action(async (dir: string | undefined, options: InitOptions) => {
      const result = await createProject(context, dir, options);
      if (options.json) context.screen.printJson(result);
      else context.screen.print(formatResult(result, context.cwd));
      context.code = exitCodes.success;
    });
}

async function createProject(context: CliContext, dir: string | undefined, options: InitOptions): Promise<InitResult> {
  const { screen, env, cwd } = context;
  const folder = resolve(cwd, dir ?? (await askFolder(context, options)));
  const name = options.name ?? toPackageName(basename(folder));
  checkPackageName(name, options.name === undefined ? `the folder ${basename(folder)}` : '--name');
  const transport = options.transport ?? (await askTransport(context, options));
  const packageManager = options.packageManager ?? detectPackageManager(env);
  const files = createProjectFiles({ name, transport, packageManager, withTsx: !canRunTypeScript() });
  await writeProject(folder, files);
  if (options.install) {
    screen.note(`created ${Object.keys(files).length} files, installing the dependencies with ${packageManager}`);
    await installDependencies(packageManager, folder, env);
  }
  const place = relative(cwd, folder);
  const next = [
    ...(place === '' ? [] : [`cd ${quotePath(place)}`]),
    ...(options.install ? [] : [`${packageManager} install`]),
    formatScript(packageManager, 'test'),
    formatScript(packageManager, 'dev'),
  ];
  return { folder, name, transport, packageManager, files: Object.keys(files), installed: options.install, next };
}

/** Quotes a path for the shell of the platform. Paths of Windows contain no quotation marks. */
const quotePath = (path: string): string =>
  process.platform === 'win32' ? (/\s/.test(path) ? `"${path}"` : path) : quoteForShell(path);

async function askFolder({ terminal }: CliContext, { input }: InitOptions): Promise<string> {
  if (!input || !terminal.interactive) return DEFAULT_FOLDER;
  const answer = await terminal.askText({ message: 'Folder of the project', fallback: DEFAULT_FOLDER });
  return answer?.trim() || DEFAULT_FOLDER;
}

async function askTransport({ terminal }: CliContext, { input }: InitOptions): Promise<ProjectTransport> {
  if (!input || !terminal.interactive) return 'http';
  return (await terminal.select({ message: 'How do hosts use the server?', options: TRANSPORT_OPTIONS })) ?? 'http';
}

/** Converts the name of a folder to a valid name of a package. */
function toPackageName(folderName: string): string {
  const name = folderName
    .toLowerCase()
    .replace(/[^a-z0-9._~-]+/g, '-')
    .replace(/^[-._]+|-+$/g, '');
  return name === '' ? DEFAULT_FOLDER : name;
}

/** @param source Source of the name, for the error. */
function checkPackageName(name: string, source: string): void {
  if (PACKAGE_NAME.test(name) && name.length <= MAX_NAME_LENGTH) return;
  throw createUsageError(
    `${source}: invalid name of a package: ${name.slice(0, MAX_NAME_LENGTH)}`,
    `pass --name with at most ${MAX_NAME_LENGTH} lower-case letters, digits, -, . and _, such as notes or @example/notes`,
  );
}

function formatResult({ folder, files, next }: InitResult, cwd: string): string {
  const place = relative(cwd, folder) || '.';
  return [
    `\nCreated ${place}: ${files.join(', ')}`,
    '\nNext:',
    ...next.map(line => `  ${line}`),
    '\nREADME.md tells how to connect the server to a host.',
  ].join('\n');
}
