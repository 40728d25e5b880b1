import { decodePointerToken, isObject, type JsonObject, toJsonObject } from '@tenon/base';
import type { Tool } from 'tenon';
import { compilePath, type PathStep } from './matching/argument-path.js';
import { compilePattern } from './matching/argument-pattern.js';
import { compileNames, foldCase, listPatterns } from './matching/name-patterns.js';
import type { RuleFinding } from './rule-risks.js';
import type { Rule } from './rules.js';

/** Tools of one server. */
export interface ToolInventory {
  /** Name of the server in the host. */
  readonly server: string;
  /** Tools of the server. */
  readonly tools: readonly (Pick<Tool, 'name'> & { readonly inputSchema?: JsonObject | undefined })[];
}

interface InventoryTool {
  readonly server: string;
  readonly name: string;
  readonly schema: JsonObject | undefined;
}

/** Maximum depth to which schemas are searched. */
const MAX_DEPTH = 32;

/** Checks the names and arguments of a rule against the existing tools. */
export function checkTools(rule: Rule, inventory: readonly ToolInventory[]): RuleFinding[] {
  const servers = inventory.map(({ server }) => server);
  const all = inventory.flatMap(({ server, tools }) =>
    tools.map(({ name, inputSchema }): InventoryTool => ({ server, name, schema: inputSchema })),
  );
  if (rule.prompt !== undefined || rule.resource !== undefined) return checkServer(rule, servers);
  const isOfServer = rule.server === undefined ? () => true : compileNames(rule.server, false);
  const there = all.filter(({ server }) => isOfServer(server));
  const names = rule.tool ?? rule.name;
  const isNamed = names === undefined ? () => true : compileNames(names, false);
  const fitting = there.filter(({ name }) => isNamed(name));
  const wrongServer = checkServer(rule, servers);
  if (wrongServer.length > 0) return wrongServer;
  if (fitting.length === 0 && rule.tool !== undefined) return [createUnknownToolFinding(rule.tool, there)];
  return [...checkArguments(rule, fitting, names !== undefined), ...checkDefaults(rule, fitting)];
}

function checkServer({ server }: Rule, servers: readonly string[]): RuleFinding[] {
  if (server === undefined || servers.some(compileNames(server, false))) return [];
  const wanted = listPatterns(server).patterns.join(', ');
  return [{ kind: 'unknown-name', message: `names the unknown server "${wanted}". Expected ${listNames(servers)}` }];
}

function createUnknownToolFinding(tool: NonNullable<Rule['tool']>, there: readonly InventoryTool[]): RuleFinding {
  const wanted = listPatterns(tool).patterns.join(', ');
  const message = `names the unknown tool "${wanted}". Expected ${listNames(there.map(({ name }) => name))}`;
  return { kind: 'unknown-name', message };
}

/**
 * Checks the arguments of a rule. If the rule names its tools, each of them must have the argument. Otherwise, one of
 * all tools is enough.
 */
function checkArguments(rule: Rule, tools: readonly InventoryTool[], isNamed: boolean): RuleFinding[] {
  const paths = [...Object.keys(rule.arguments ?? {}), ...(rule.only ?? [])];
  // A schema without properties accepts any member, so a wrong name cannot be detected.
  const known = tools.filter(tool => listArguments(tool).length > 0 || tool.schema?.additionalProperties === false);
  if (known.length === 0) return [];
  return [...new Set(paths)].flatMap(path => {
    const steps = compilePath(path, rule.action === 'allow');
    const lacking = known.filter(({ schema }) => !hasPath(schema, schema, steps, 0));
    const isWrong = isNamed ? lacking.length > 0 : lacking.length === known.length;
    const [first] = lacking;
    if (!isWrong || first === undefined) return [];
    const which =
      lacking.length === 1
        ? `the tool ${first.name} does`
        : `the tools ${listNames(lacking.map(({ name }) => name))} do`;
    const message = `names the argument ${path}, which ${which} not have. Expected ${listNames(listArguments(first))}`;
    return [{ kind: 'unknown-argument', message } as const];
  });
}

/**
 * Finds arguments whose default bypasses the rule: a call without the argument does not match, and the server then uses
 * the default.
 */
function checkDefaults(rule: Rule, tools: readonly InventoryTool[]): RuleFinding[] {
  if (rule.action === 'allow') return [];
  return Object.entries(rule.arguments ?? {}).flatMap(([path, pattern]) => {
    const test = compilePattern(pattern);
    const [step, ...rest] = compilePath(path, false);
    if (step === undefined || step.kind !== 'member' || rest.length > 0) return [];
    const filled = tools.filter(({ schema }) =>
      listProperties(schema, schema).some(
        ([name, property]) =>
          step.matches(name) && isObject(property) && 'default' in property && test(property.default, false),
      ),
    );
    if (filled.length === 0) return [];
    const message = `does not match a call without ${path}, whose default in ${listNames(filled.map(({ name }) => name))} the rule should match`;
    return [{ kind: 'default-argument', message } as const];
  });
}

function listArguments({ schema }: InventoryTool): string[] {
  return listProperties(schema, schema).map(([name]) => name);
}

/** Tells if a schema allows a member at a path. An undeclared member is allowed unless the schema forbids it. */
function hasPath(root: unknown, schema: unknown, steps: readonly PathStep[], depth: number): boolean {
  const [step, ...rest] = steps;
  if (step === undefined || step.kind !== 'member' || depth > MAX_DEPTH) return true;
  const parts = listSubschemas(root, schema, depth);
  const properties = parts.flatMap(part => Object.entries(toJsonObject(part.properties)));
  const items = parts.flatMap(({ items: each, prefixItems }) => [
    each,
    ...(Array.isArray(prefixItems) ? prefixItems : []),
  ]);
  const inside = items.filter(isObject);
  if (inside.some(each => hasPath(root, each, step.isIndex ? rest : steps, depth + 1))) return true;
  const open = parts.filter(part => isObject(part.additionalProperties) || isObject(part.patternProperties));
  if (open.length > 0) return true;
  // A schema without properties does not show which members exist.
  if (properties.length === 0) return inside.length === 0 && parts.every(part => part.additionalProperties !== false);
  return properties.some(([name, property]) => step.matches(name) && hasPath(root, property, rest, depth + 1));
}

function listProperties(root: unknown, schema: unknown): [string, unknown][] {
  return listSubschemas(root, schema, 0).flatMap(part => Object.entries(toJsonObject(part.properties)));
}

/** Returns a schema and the schemas that it combines. Follows references to its own definitions. */
function listSubschemas(root: unknown, schema: unknown, depth: number): JsonObject[] {
  if (!isObject(schema) || depth > MAX_DEPTH) return [];
  const { $ref, anyOf, oneOf, allOf } = schema;
  const referred = typeof $ref === 'string' && $ref.startsWith('#') ? [resolvePointer(root, $ref.slice(1))] : [];
  const combined = [anyOf, oneOf, allOf].flatMap(each => (Array.isArray(each) ? each : []));
  return [schema, ...[...referred, ...combined].flatMap(each => listSubschemas(root, each, depth + 1))];
}

function resolvePointer(root: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = decodePointerToken(step);
    return name !== undefined && isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }, root);
}

/** Maximum number of names in a message. */
const MAX_NAMES = 12;

function listNames(names: readonly string[]): string {
  const sorted = [...new Set(names)].sort((a, b) => (foldCase(a) < foldCase(b) ? -1 : 1));
  if (sorted.length === 0) return 'none';
  const more = sorted.length > MAX_NAMES ? ` and ${sorted.length - MAX_NAMES} more` : '';
  return `${sorted.slice(0, MAX_NAMES).join(', ')}${more}`;
}
