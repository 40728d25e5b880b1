import {
  type ArgumentChanges,
  addDefaults,
  changeInputSchema,
  checkArray,
  checkFunction,
  checkObject,
  checkString,
  describeIssues,
  findArgumentFaults,
  type JsonObject,
  listHiddenArguments,
  type MaybePromise,
  requireArgument,
  requireKnownOptions,
  TenonError,
  thenMaybe,
} from '@tenon/base';
import type { Context } from '../handler/context.js';
import { toolError } from '../handler/tool-result.js';
import { requireSendable } from '../jsonrpc/sendable-values.js';
import { type CheckResult, compileSchema } from '../schemas/compile-schema.js';
import { compileJsonSchema } from '../schemas/json-schema/compile-json-schema.js';
import type { StandardSchema } from '../schemas/standard.js';
import { validateCompiled } from '../schemas/validate-json-schema.js';
import type { ToolDefinition, ToolMetadata, ToolReturn } from '../server/definitions/tool.js';

/** Changes of a tool, for `transformTool`. */
export interface ToolChanges<In, Out, Hidden extends string, Defaults> extends ToolMetadata {
  /**
   * Values of arguments that the caller leaves out. They become optional, and clients see the values in the schema.
   * @default none
   */
  readonly defaults?: Defaults | undefined;
  /**
   * Arguments that clients do not see and cannot set. `defaults` has their values, or `wrap` adds them.
   * @default none
   */
  readonly hide?: readonly Hidden[] | undefined;
  /**
   * Runs in place of the handler. `input` has the arguments of the caller and `defaults`. `next` runs the handler with
   * its own arguments, and returns what the handler returns.
   * @default the handler runs with the arguments and `defaults`
   */
  readonly wrap?:
    | ((
        input: Omitted<In, Hidden>,
        context: Context,
        next: (input: In) => Promise<ToolReturn<Out>>,
      ) => MaybePromise<ToolReturn<Out>>)
    | undefined;
}

/** Members of each type of a union, without some of them. */
type Omitted<In, K> = In extends unknown ? { [Key in keyof In as Key extends K ? never : Key]: In[Key] } : never;

/** Arguments of a changed tool for its callers: without the hidden ones, and with optional ones in place of defaults. */
export type ChangedInput<In, Hidden, Defaults> = [Hidden | keyof Defaults] extends [never]
  ? In
  : In extends unknown
    ? { [K in keyof In as K extends Hidden | keyof Defaults ? never : K]: In[K] } & {
        [K in keyof In as K extends Exclude<keyof Defaults, Hidden> ? K : never]?: In[K] | undefined;
      }
    : never;

/** The schema of a tool without `input`. */
const NO_ARGUMENTS = { type: 'object', properties: {}, additionalProperties: false };

const METADATA: { readonly [K in keyof Required<ToolMetadata>]: true } = {
  title: true,
  description: true,
  annotations: true,
  icons: true,
  _meta: true,
  visible: true,
  requiredCapabilities: true,
  scopes: true,
  exposeErrors: true,
  task: true,
};

const checkChanges = checkObject({
  'defaults?': checkObject(),
  'hide?': checkArray(checkString),
  'wrap?': checkFunction,
});

/**
 * Returns a changed copy of a tool: with other texts and settings, default values of arguments, fewer arguments, or code
 * around its handler. The key in `tools` is the name of the copy.
 *
 * The schema of the tool still checks the arguments, after the default values are added.
 *
 * @throws TenonError `tool/transform` for an argument that the schema does not name, for a default value that it refuses, or
 * for a required argument that is hidden and has no value. `options/invalid` for unknown changes.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */
export function transformTool<
  In,
  Out,
  const Hidden extends keyof In & string = never,
  const Defaults extends Partial<In> = Record<never, never>,
>(
  tool: ToolDefinition<In, Out>,
  changes: ToolChanges<In, Out, Hidden, Defaults>,
): ToolDefinition<ChangedInput<In, Hidden, Defaults>, Out> {
  requireArgument('`tool` of transformTool', tool, checkObject({ run: checkFunction }));
  requireKnownOptions('transformTool', changes, { ...METADATA, defaults: true, hide: true, wrap: true });
  requireArgument('`changes` of transformTool', changes, checkChanges);
  const { defaults, hide, wrap, ...metadata } = changes;
  const argumentChanges = { defaults: { ...defaults }, hide };
  const original = compileSchema(tool.input ?? NO_ARGUMENTS, 'input');
  requireArguments(original.json, argumentChanges, wrap !== undefined);
  requireDefaults(original.json, argumentChanges.defaults);
  const json = changeInputSchema(original.json, argumentChanges);
  const changed = { ...tool, ...metadata };
  const run = (input: unknown, context: Context) => tool.run(input as never, context);
  if (wrap === undefined) {
    const input = createSchema(json, argumentChanges, args => original.check(args));
    return { ...changed, input, run } as object as ToolDefinition<never, never>;
  }
  const visible = compileSchema(json, 'input');
  const input = createSchema(json, argumentChanges, args => visible.check(args));
  const createNext = (context: Context) => async (args: In) => {
    const checked = await original.check(args ?? {});
    if (!checked.ok) throw toolError(`Invalid arguments: ${describeIssues(checked.issues)}`);
    return run(checked.value, context) as MaybePromise<ToolReturn<Out>>;
  };
  const wrapped = (args: unknown, context: Context) => wrap(args as never, context, createNext(context));
  return { ...changed, input, run: wrapped } as object as ToolDefinition<never, never>;
}

/** Throws for an argument that the schema does not name, and for a hidden one that nothing adds. */
function requireArguments(json: JsonObject, changes: ArgumentChanges, mayAdd: boolean): void {
  const { unknown, missing } = findArgumentFaults(json, changes);
  if (unknown.length > 0)
    throw new TenonError('tool/transform', `the tool has no argument "${unknown[0]}"`, {
      expected: 'names from `properties` of its input schema',
      hint: 'correct the name in `hide` and `defaults`',
    });
  if (missing.length > 0 && !mayAdd)
    throw new TenonError('tool/transform', `the hidden argument "${missing[0]}" is required and has no value`, {
      hint: 'pass its value in `defaults`, or add it in `wrap`',
    });
}

/** Throws for a default value that the schema of its argument refuses. Each call without the argument would fail. */
function requireDefaults({ properties, $defs = {}, definitions = {} }: JsonObject, defaults: JsonObject): void {
  if (Object.keys(defaults).length === 0) return;
  requireSendable('`defaults` of transformTool', defaults, 'tool/transform');
  const checked = validateCompiled(compileJsonSchema({ properties, $defs, definitions }), defaults);
  if (!checked.ok)
    throw new TenonError('tool/transform', `invalid \`defaults\`: ${describeIssues(checked.issues)}`, {
      hint: 'pass values that the input schema of the tool accepts',
    });
}

/** Creates a schema that shows `json` to clients, and checks arguments with their default values by a function. */
function createSchema(
  json: JsonObject,
  changes: ArgumentChanges,
  check: (args: JsonObject) => CheckResult | Promise<CheckResult>,
): StandardSchema {
  const toResult = (checked: CheckResult) => (checked.ok ? { value: checked.value } : { issues: checked.issues });
  const validate = (args: unknown) => {
    const hidden = listHiddenArguments(args, changes);
    if (hidden.length > 0) return { issues: hidden.map(name => ({ path: [name], message: 'unknown argument' })) };
    return thenMaybe(check(addDefaults(args, changes)), toResult);
  };
  const jsonSchema = { input: () => json, output: () => json };
  const standard = { version: 1 as const, vendor: 'tenon', validate, jsonSchema };
  return { '~standard': standard };
}
