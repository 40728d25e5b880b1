import type { Command } from 'commander';
import type { TaskState } from 'tenon';
import { reportToolResult } from '../calls/report-result.js';
import { runCall } from '../calls/run-call.js';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { formatExamples } from '../options/create-command.js';
import { createQuestions, type Questions } from '../questions/questions.js';
import { formatColumns } from '../screen.js';
import { summaries } from '../summaries.js';
import { runWithClient, type TargetConnection } from '../target/run-with-client.js';
import { createTargetCommand, type TargetOptions, withTargetOptions } from '../target/target-options.js';
import { type TargetReference, takeTarget } from '../target/target-reference.js';
import { createUsageError } from '../usage-error.js';

interface TasksCommandOptions extends TargetOptions {
  readonly save?: string;
}

const ACTIONS = ['list', 'get', 'cancel', 'result'] as const;
type TaskAction = (typeof ACTIONS)[number];

export function createTasksCommand(context: CliContext): Command {
  const command = createTargetCommand('tasks', summaries.tasks, '[list|get ID|cancel ID|result ID]').option(
    '--save <folder>',
    'save images, audio and resources of a result into this folder',
  );
  return withTargetOptions(command)
    .addHelpText(
      'after',
      formatExamples([
        ['tenon tasks bakery', 'list the tasks'],
        ['tenon tasks bakery result 7f3a', 'wait for the result of a task'],
      ]),
    )
    .action(async (words: string[], options: TasksCommandOptions) => {
      const { reference, rest } = takeTarget(context, words);
      const [action = 'list', id, ...more] = rest;
      const known = ACTIONS.find(each => each === action);
      if (known === undefined || more.length > 0 || (known === 'list') !== (id === undefined))
        throw createUsageError(`invalid arguments: ${rest.join(' ')}`, 'pass list, get ID, cancel ID or result ID');
      const questions = createQuestions(context, options);
      await runWithClient(
        context,
        reference,
        options,
        connection => runAction(context, connection, { action: known, id: id ?? '', reference, options }, questions),
        questions.handlers,
      );
    });
}

interface TaskRequest {
  readonly action: TaskAction;
  readonly id: string;
  readonly reference: TargetReference;
  readonly options: TasksCommandOptions;
}

async function runAction(
  context: CliContext,
  connection: TargetConnection,
  { action, id, reference, options }: TaskRequest,
  questions: Questions,
): Promise<void> {
  const { client, signal } = connection;
  context.code = exitCodes.success;
  if (action === 'list') {
    const states: TaskState[] = [];
    for await (const state of client.tasks.list({ signal })) states.push(state);
    return printStates(context, states, options.json ? { tasks: states } : undefined);
  }
  if (action === 'result') {
    const request = { method: 'tools/call' as const, params: {}, reference, options };
    const result = await runCall(context, connection, request, questions, { taskId: id });
    if (result) await reportToolResult(context, id, result, options);
    return;
  }
  if (action === 'cancel') await client.tasks.cancel(id, { signal });
  const state = await client.tasks.get(id, { signal });
  await printStates(context, [state], options.json ? state : undefined);
}

async function printStates(
  { screen }: CliContext,
  states: readonly TaskState[],
  json: object | undefined,
): Promise<void> {
  if (json) return screen.printJson(json);
  if (states.length === 0) return screen.note('the server has no tasks');
  const { sanitizeText } = await import('@tenon/host');
  screen.print(
    formatColumns(
      states.map(({ taskId, status, createdAt, statusMessage = '' }) =>
        [taskId, status, createdAt, statusMessage].map(text => sanitizeText(text)),
      ),
      '',
    ),
  );
}
