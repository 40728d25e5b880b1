import { accessSync, constants } from 'node:fs';
import { posix } from 'node:path';
import { checkString, requireArgument, requireKnownOptions } from '@tenon/base';
import type { StdioTransportOptions } from '../../../transports/stdio/client.js';
import { createChildEnvironment } from './child-environment.js';
import { isFile, isFolder, resolveCommand } from './resolve-command.js';
import { spawnError } from './spawn-server.js';

/**
 * Checks that the program of a stdio server can be started, without starting it.
 * @throws TenonError `stdio/spawn` when the program or folder does not exist, or the program cannot be executed.
 */
export function checkProgram(options: StdioTransportOptions): void {
  requireKnownOptions('checkProgram', options, {
    command: true,
    args: true,
    env: true,
    cwd: true,
    stderr: true,
    container: true,
    exitTimeout: true,
    terminateTimeout: true,
    maxBufferedSize: true,
    clock: true,
    maxLineBytes: true,
    maxJsonDepth: true,
  });
  requireArgument('`command` of checkProgram', options.command, checkString);
  const { platform } = process;
  const env = createChildEnvironment(options.env, { platform, env: process.env });
  const cwd = options.cwd ?? process.cwd();
  const fail = (code: string): never => {
    throw spawnError(`stdio: ${options.command}`, options, Object.assign(new Error(code), { code }));
  };
  if (!isFolder(cwd)) fail('ENOENT');
  if (platform === 'win32') {
    if (!resolveCommand(options.command, [], { platform, env, cwd, exists: isFile })) fail('ENOENT');
    return;
  }
  const { command } = options;
  const folders = command.includes('/') ? [''] : (env.PATH ?? '').split(':');
  const files = folders.map(folder => posix.resolve(cwd, folder, command)).filter(isFile);
  if (files.length === 0) fail('ENOENT');
  const isExecutable = files.some(file => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (!isExecutable) fail('EACCES');
}
