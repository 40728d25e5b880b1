import { isObject, MAX_TIMER_DELAY, TenonError } from '@tenon/base';

/**
 * Offer of code mode to callers. With `offer`, the tool that runs programs is listed beside all tools. With `default`,
 * only the tools that search, describe and run are listed, and other tools can still be called by name. With `only`,
 * other tools can be called by programs alone. With `off`, there is no code mode.
 */
export type CodeModePolicy = 'off' | 'offer' | 'default' | 'only';

/** Options of code mode. */
export interface CodeModeOptions {
  /** Offer of code mode to callers. */
  readonly policy: CodeModePolicy;
  /**
   * Maximum memory of a program, in bytes, from 16 MiB to 4 GiB.
   * @default 16,777,216 (16 MiB)
   */
  readonly maxMemory?: number | undefined;
  /**
   * Maximum time that a program computes, in milliseconds. The time that its calls take does not count.
   * @default 5,000
   */
  readonly maxComputeTime?: number | undefined;
  /**
   * Maximum number of calls of a program.
   * @default 50
   */
  readonly maxCalls?: number | undefined;
  /**
   * Maximum size of the result of a program and of the arguments of each of its calls, in characters of JSON.
   * @default 262,144
   */
  readonly maxOutput?: number | undefined;
  /**
   * Maximum size of the result of one call of a program, in characters of JSON. A larger result is an error of the call.
   * @default 131,072
   */
  readonly maxCallResult?: number | undefined;
  /**
   * Maximum number of programs that are in memory at the same time. Further programs wait. One that waits for a call
   * for a second is removed from memory, and later repeated up to this call with the stored results.
   * @default 4
   */
  readonly maxPrograms?: number | undefined;
  /**
   * Time for which the steps of an unfinished program, and the result of a program with an `id`, are stored, in
   * milliseconds.
   * @default 86,400,000 (24 hours)
   */
  readonly ttl?: number | undefined;
}

/** Code mode of a host: a policy with the default limits, or options. */
export type CodeModeSetting = CodeModePolicy | CodeModeOptions;

/** Default values of `CodeModeOptions`. */
const DEFAULT_CODE_MODE_OPTIONS = {
  maxMemory: 16 * 2 ** 20,
  maxComputeTime: 5000,
  maxCalls: 50,
  maxOutput: 262_144,
  maxCallResult: 131_072,
  maxPrograms: 4,
  ttl: 24 * 60 * 60_000,
} as const;

const POLICIES: readonly string[] = ['off', 'offer', 'default', 'only'] satisfies CodeModePolicy[];

/** Smallest and largest value of the options that have others than the rest. */
const LIMITS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  // QuickJS starts with 16 MiB, and WebAssembly has addresses for 4 GiB.
  maxMemory: [16 * 2 ** 20, 2 ** 32],
  // A timer adds a second.
  maxComputeTime: [1, MAX_TIMER_DELAY - 1000],
};

type CheckedCodeMode = { readonly [K in keyof Required<CodeModeOptions>]: NonNullable<CodeModeOptions[K]> };

/**
 * Applies the defaults of code mode. Returns `undefined` when it is off.
 *
 * @throws TenonError `program/options` for an invalid option.
 */
export function parseCodeMode(setting: CodeModeSetting | undefined): CheckedCodeMode | undefined {
  if (setting === undefined) return undefined;
  if (typeof setting !== 'string' && !isObject(setting))
    throw createOptionError('', `${POLICIES.join(', ')} or an object with \`policy\``, setting);
  const given = typeof setting === 'string' ? { policy: setting } : setting;
  const defined = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const options: CheckedCodeMode = { ...DEFAULT_CODE_MODE_OPTIONS, policy: given.policy, ...defined };
  if (!POLICIES.includes(options.policy)) throw createOptionError('policy', POLICIES.join(', '), options.policy);
  const known: readonly string[] = ['policy', ...Object.keys(DEFAULT_CODE_MODE_OPTIONS)];
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) throw createOptionError(name, `one of ${known.join(', ')}`, 'an unknown option');
    if (name === 'policy') continue;
    const [least, most] = LIMITS[name] ?? [1, Number.MAX_SAFE_INTEGER];
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
      throw createOptionError(
        name,
        most === Number.MAX_SAFE_INTEGER ? `an integer of at least ${least}` : `an integer from ${least} to ${most}`,
        value,
      );
  }
  return options.policy === 'off' ? undefined : options;
}

function createOptionError(name: string, expected: string, received: unknown): TenonError {
  return new TenonError('program/options', `invalid option \`codeMode${name && `.${name}`}\``, {
    expected,
    received: String(received).slice(0, 40),
  });
}
