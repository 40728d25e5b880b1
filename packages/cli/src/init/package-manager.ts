import { spawn } from 'node:child_process';
import { TenonError } from 'tenon';

export const PACKAGE_MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;

export type PackageManager = (typeof PACKAGE_MANAGERS)[number];

/** Returns the package manager that started the command, as `npm create` and `pnpm create` do. Default: npm. */
export function detectPackageManager(env: Readonly<Record<string, string | undefined>>): PackageManager {
  const [name] = (env.npm_config_user_agent ?? '').split('/');
  return PACKAGE_MANAGERS.find(each => each === name) ?? 'npm';
}

/** Returns the command line that runs a script of package.json. */
export function formatScript(packageManager: PackageManager, script: string): string {
  if (packageManager === 'npm') return ['start', 'test'].includes(script) ? `npm ${script}` : `npm run ${script}`;
  return packageManager === 'bun' ? `bun run ${script}` : `${packageManager} ${script}`;
}

/** Returns the command line that runs a program of the installed packages. */
export function formatProgram(packageManager: PackageManager, program: string): string {
  const runners = { npm: 'npx', pnpm: 'pnpm exec', yarn: 'yarn', bun: 'bunx' } as const;
  return `${runners[packageManager]} ${program}`;
}

/**
 * Installs the dependencies of a project. The output of the package manager goes to standard error.
 * @throws TenonError `init/install` when the package manager fails.
 */
export async function installDependencies(
  packageManager: PackageManager,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const reason = await new Promise<string | undefined>(resolve => {
    // Package managers are batch files on Windows, which need a shell.
    const shell = process.platform === 'win32';
    const child = spawn(packageManager, ['install'], { cwd: folder, env, shell, stdio: ['ignore', 2, 2] });
    child.once('error', error => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`));
  });
  if (reason === undefined) return;
  throw new TenonError('init/install', `${packageManager} install failed: ${reason}`, {
    hint: `run \`${packageManager} install\` in ${folder}; the files of the project are complete`,
  });
}
