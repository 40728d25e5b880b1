import { type LateStates, lateStates } from '../conversation/asking/by-retry.js';
import type { Dialect } from '../dialects/dialect.js';
import { dialectOf, dialects } from '../dialects/index.js';
import { type Clock, systemClock } from '../jsonrpc/clock.js';
import { TenonError } from '../jsonrpc/error.js';
import type { Running } from '../jsonrpc/running.js';
import type { Implementation } from '../model/content.js';
import { dropUndefined } from '../model/defaults.js';
import { isExtensionId } from '../model/meta.js';
import { isMethod, isNotification } from '../model/methods.js';
import { checkScopes } from '../model/scopes.js';
import { compileDefined } from '../schemas/schema-check.js';
import { memoryStores } from '../stores/memory.js';
import { areSealKeys } from '../stores/seal.js';
import type { Stores } from '../stores/stores.js';
import { Catalog } from './catalog.js';
import { changes } from './changes.js';
import { compilePrompt } from './compiled-prompt.js';
import { compileResource, isTemplate } from './compiled-resource.js';
import { compileTool } from './compiled-tool.js';
import type { Prompts, Resources, ServerDefinition, ServerOptions, Tools } from './definition.js';
import { requireServerShape } from './definition-shapes.js';
import { Elicitations } from './elicitations.js';
import type { Installed } from './extension.js';
import { install } from './extensions.js';
import type { Merging } from './notification-merger.js';
import type { PromptDefinition } from './prompt.js';
import { createRateLimits, type RateLimits } from './rate-limits.js';
import type { ResourceDefinition } from './resource.js';
import { SessionPings } from './session-ping.js';
import { checkTaskRules } from './task-rules.js';
import type { ToolDefinition } from './tool.js';
import { Watchers } from './watchers.js';

/** A server's definition made ready: what every connection and every request shares, made once. */
export interface Blueprint {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly options: ServerOptions;
  readonly pageSize: number;
  readonly served: readonly Dialect[];
  readonly tools: Catalog<ToolDefinition>;
  readonly prompts: Catalog<PromptDefinition>;
  readonly resources: Catalog<ResourceDefinition<never>>;
  readonly watchers: Watchers;
  readonly elicitations: Elicitations;
  readonly pings: SessionPings;
  /** What ends each open listening, for when the server closes. */
  readonly endings: Set<() => void>;
  readonly stores: Stores;
  readonly states: LateStates;
  /** What the extensions do, those that do something. */
  readonly installed: readonly Installed[];
  readonly clock: Clock;
  readonly rateLimits: RateLimits;
  readonly problem: (error: TenonError) => void;
}

export function createBlueprint(definition: ServerDefinition<Tools, Prompts, Resources>): Blueprint {
  requireServerShape(definition);
  const { name, version, title, description, websiteUrl, icons, instructions, ...options } = definition;
  checkOptions(options);
  const clock = options.clock ?? systemClock;
  const problem = safely(options.onProblem ?? complain);
  const announce = changes(clock, (list, items) => blueprint.watchers.listChanged(list, items));
  const { asking = {}, stores = memoryStores({ clock }) } = options;
  const checkTool = (toolName: string, tool: ToolDefinition) => {
    compileTool(toolName, tool);
    checkTaskRules(toolName, tool, options.extensions);
  };
  const subscribe = (uri: string) => hookOf(blueprint, uri);
  const blueprint: Blueprint = {
    info: dropUndefined({ name, version, title, description, websiteUrl, icons }),
    instructions,
    options,
    pageSize: options.pageSize ?? 1000,
    served: options.revisions ? options.revisions.map(served) : dialects,
    tools: new Catalog(options.tools as never, checkTool, items => announce('tools', items)),
    prompts: new Catalog(options.prompts as never, compilePrompt, items => announce('prompts', items)),
    resources: new Catalog(options.resources as never, compileResource, items => announce('resources', items)),
    watchers: new Watchers(subscribe, problem),
    pings: new SessionPings(clock, options.keepAlive, problem),
    elicitations: new Elicitations(),
    endings: new Set(),
    stores,
    states: lateStates({
      options: asking,
      stores,
      everywhere: options.stores !== undefined || !asking.keys,
      clock,
      problem,
    }),
    installed: [],
    clock,
    rateLimits: createRateLimits(options.rateLimits, clock),
    problem,
  };
  return { ...blueprint, installed: install(blueprint) };
}

function hookOf({ resources }: Blueprint, uri: string): (() => void) | undefined {
  const nobody = { client: undefined, capabilities: {}, auth: undefined };
  const exact = resources.find(uri, nobody);
  if (exact) return exact.subscribe?.(uri) ?? undefined;
  for (const [key, resource] of resources.pick(isTemplate, nobody)) {
    if (compileResource(key, resource).template?.match(uri)) return resource.subscribe?.(uri) ?? undefined;
  }
  return undefined;
}

/** A listener that throws harms nobody else. */
function safely(listener: (error: TenonError) => void): (error: TenonError) => void {
  return error => {
    try {
      listener(error);
    } catch {
      // Whoever is told of problems can not be told of this one.
    }
  };
}

/** Names that belong to official extensions, whether there is such a method or not. */
const RESERVED = /^(notifications\/)?tasks\//;

function checkOptions({ methods = {}, extensions = [], revisions, asking }: ServerOptions): void {
  for (const [name, { params, scopes }] of Object.entries(methods)) {
    checkScopes(`method "${name}"`, scopes);
    if (isMethod(name) || isNotification(name) || RESERVED.test(name))
      throw new TenonError('server/method-taken', `"${name}" is a method of the protocol`);
    if (params) compileDefined(`the params of method "${name}"`, params, 'input');
  }
  const ids = extensions.map(({ id }) => id);
  for (const [at, id] of ids.entries()) {
    if (isExtensionId(id) && ids.indexOf(id) === at) continue;
    throw new TenonError('server/extension-id', `"${id}" names no extension`, {
      expected: 'a prefix and a name, com.example/thing, once',
    });
  }
  if (revisions?.length === 0) throw new TenonError('server/no-revision', 'a server serves at least one revision');
  if (asking?.keys && !areSealKeys(asking.keys)) {
    throw new TenonError('server/state-keys', 'the state can not be sealed with these keys', {
      expected: 'one or more of 32 bytes, with ids of letters, digits, "_" and "-" that differ',
    });
  }
}

/** The merging of what is said about a request while it runs. */
export function mergingOf({ rateLimits, clock }: Blueprint, running: Running): Merging | undefined {
  const { notifications: rate } = rateLimits;
  return rate && { rate, clock, whenFinishing: run => running.whenFinishing(run) };
}

function served(revision: string): Dialect {
  const dialect = dialectOf(revision);
  if (dialect) return dialect;
  const expected = `one of ${dialects.map(each => each.revision).join(', ')}`;
  throw new TenonError('server/revision', 'there is no such revision', { expected, got: revision });
}

declare const console: { error(...parts: unknown[]): void } | undefined;

function complain(error: TenonError): void {
  console?.error(`tenon: ${error.code}: ${error.message}`, error.cause ?? '');
}
