import { TenonError } from '../../jsonrpc/error.js';
import { TASKS } from '../../protocol/tasks.js';
import type { ServerExtension } from '../extension.js';
import type { TaskOptions, ToolDefinition } from './tool.js';

export type ResolvedTaskOptions = TaskOptions &
  Required<Pick<TaskOptions, 'support'>> & {
    /** Called with what makes a task of the call that is running, where only its handler knows whether and when. */
    readonly setMoveToTask?: ((moveToTask: () => void) => void) | undefined;
  };

/** Returns the task options of a tool, or undefined if its calls never become tasks. */
export function resolveTaskOptions({ task }: ToolDefinition): ResolvedTaskOptions | undefined {
  if (task === undefined || task === 'forbidden') return undefined;
  return typeof task === 'string' ? { support: task } : { ...task, support: task.support ?? 'optional' };
}

export function hasTasks(extensions: readonly ServerExtension[] | undefined): boolean {
  return extensions?.some(({ id }) => id === TASKS) ?? false;
}

/** Throws when a tool is to become a task, and nothing is there that makes one of it. */
export function checkTaskOptions(
  name: string,
  definition: ToolDefinition,
  extensions: readonly ServerExtension[] | undefined,
): void {
  if (resolveTaskOptions(definition) === undefined || hasTasks(extensions)) return;
  throw new TenonError(
    'server/no-tasks',
    `tool "${name}" has the option \`task\`, but the server has no \`tasks()\` extension`,
    {
      hint: 'create the server with `extensions: [tasks()]`',
    },
  );
}
