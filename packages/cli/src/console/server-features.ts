import { isObject, type JsonObject, toJsonObject } from '@tenon/base';
import type { Client, LoggingLevel, TaskState } from 'tenon';
import { expandTemplate, listVariables } from '../calls/expand-template.js';
import { createUsageError } from '../usage-error.js';
import { listSkills, readSkillFile } from './server-skills.js';

/** Maximum number of tasks that are listed. */
const MAX_TASKS = 200;

const LEVELS: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** Requests to a connected server that are no calls, by the last part of their address. */
export const FEATURES: Readonly<Record<string, (client: Client, body: JsonObject) => Promise<unknown>>> = {
  /** Returns what the server has declared. */
  async capabilities({ server: { capabilities, protocolVersion } }) {
    return { capabilities, protocolVersion };
  },

  /** Completes an argument of a prompt, or a variable of a template. */
  complete(client, { ref, name, value, others }) {
    if (!isObject(ref) || typeof name !== 'string' || typeof value !== 'string')
      throw createUsageError('complete: expected ref, name and value', 'reload the page');
    const reference =
      typeof ref.uri === 'string'
        ? ({ type: 'ref/resource', uri: ref.uri } as const)
        : ({ type: 'ref/prompt', name: String(ref.name) } as const);
    const values = toTexts(others);
    return client.complete({
      ref: reference,
      argument: { name, value },
      ...(Object.keys(values).length === 0 ? {} : { context: { arguments: values } }),
    });
  },

  /** Replaces the variables of a template. Without values, it lists them only. */
  async expand(_, { template, values }) {
    if (typeof template !== 'string') throw createUsageError('expand: expected a template', 'reload the page');
    const variables = listVariables(template);
    const given = isObject(values) ? new Map(Object.entries(toTexts(values))) : undefined;
    return { variables, uri: given ? await expandTemplate(template, given) : null };
  },

  async 'log-level'(client, { level }) {
    const known = LEVELS.find(each => each === level);
    if (!known) throw createUsageError('level: unknown level', `use one of ${LEVELS.join(', ')}`);
    await client.setLogLevel(known);
    return {};
  },

  /** Lists the tasks that the server still has. */
  async tasks(client) {
    const tasks: unknown[] = [];
    for await (const state of client.tasks.list()) {
      tasks.push(toTaskView(state));
      if (tasks.length >= MAX_TASKS) break;
    }
    return { tasks };
  },

  skills: client => listSkills(client),

  'skill-file': readSkillFile,

  async 'cancel-task'(client, { taskId }) {
    await client.tasks.cancel(String(taskId));
    return {};
  },
};

const toTaskView = ({ taskId, status, statusMessage, createdAt }: TaskState) => ({
  taskId,
  status,
  message: statusMessage ?? '',
  createdAt,
});

const toTexts = (values: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(toJsonObject(values)).flatMap(([name, value]) =>
      typeof value === 'string' && value !== '' ? [[name, value]] : [],
    ),
  );
