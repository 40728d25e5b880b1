import type { JsonObject } from '../jsonrpc/message.js';
import type { Blueprint } from './blueprint.js';
import { enterTool } from './calling.js';
import type { House, Installed, Operate } from './extension.js';
import { complete } from './results.js';
import { taskRulesOf } from './task-rules.js';
import type { Turn } from './turn.js';

/** Makes the extensions ready, those that do something. */
export function install(blueprint: Blueprint): Installed[] {
  const { stores, clock, problem, options } = blueprint;
  const house: House = {
    stores,
    clock,
    problem,
    enter: (params, turn, run, inputs) => enterTool(blueprint, params, turn, run, inputs),
    findObstacle: (params, turn, version) => findObstacle(blueprint, params, turn, version),
    toolAccess(name, caller) {
      const { tools } = blueprint;
      const tool = tools.find(name, caller);
      return { visible: tool !== undefined || !tools.has(name), scopes: tool?.scopes ?? [] };
    },
    complete: result => complete(blueprint, result),
    ofTool(name, result) {
      toolOf.set(result, name);
      return result;
    },
  };
  const installed = (options.extensions ?? []).map(each => each.install?.(house));
  return [...installed, options.front].filter(each => each !== undefined);
}

async function findObstacle(
  { tools, options: { front } }: Blueprint,
  params: JsonObject,
  turn: Turn,
  version: string | undefined,
): Promise<string | undefined> {
  const name = String(params.name);
  const unknown = `Unknown tool: ${name.slice(0, 128)}`;
  if (front) {
    const found = await front.tool(name, turn).catch(() => undefined);
    return found === undefined ? unknown : undefined;
  }
  const tool = tools.find(name, turn.caller);
  if (tool === undefined) return unknown;
  const own = taskRulesOf(tool)?.version;
  return own === version
    ? undefined
    : `Tool ${name} has another version: expected ${version ?? 'none'}, got ${own ?? 'none'}`;
}

/** Which tool a result is of, where the request does not say it. */
export const toolOf = new WeakMap<JsonObject, string>();

/** What an extension makes of a method that is its own. */
export function operationOf({ installed }: Blueprint, method: string): Operate | undefined {
  for (const { operations } of installed) {
    if (operations && Object.hasOwn(operations, method)) return operations[method];
  }
  return undefined;
}
