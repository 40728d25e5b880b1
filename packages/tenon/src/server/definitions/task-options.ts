import { TenonError } from '@tenon/base';
import { TASKS } from '../../protocol/tasks.js';
import type { ResolvedTaskOptions, ToolDefinition } from './tool.js';

/** Returns the task options of a tool. Returns `undefined` if its calls never become tasks. */
export function resolveTaskOptions({ task }: ToolDefinition): ResolvedTaskOptions | undefined {
  if (task === undefined || task === 'forbidden') return undefined;
  return typeof task === 'string' ? { support: task } : { ...task, support: task.support ?? 'optional' };
}

export function hasTasks(extensions: readonly { readonly id: string }[] | undefined): boolean {
  return extensions?.some(({ id }) => id === TASKS) ?? false;
}

/** Throws when a tool has task options but no extension creates tasks. */
export function checkTaskOptions(
  name: string,
  definition: ToolDefinition,
  extensions: readonly { readonly id: string }[] | undefined,
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
