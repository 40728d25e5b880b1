/** Options of a program that runs packages, which an entry may pass to it. */
export interface RunnerOptions {
  /** Options without a value. */
  readonly flags: readonly string[];
  /** Options with a value. */
  readonly values: readonly string[];
}

/** Option of a registry entry, before the name of the package. */
export interface RunnerArgument {
  /** Name of the option. Absent: a text without a name, which is an option if it begins with a hyphen. */
  readonly name?: string | undefined;
  readonly value: string | undefined;
}

const CONTAINER_FLAGS =
  '-i -t -d -P -q --interactive --tty --rm --init --privileged --read-only --detach --publish-all --quiet --no-healthcheck --oom-kill-disable --sig-proxy';
const CONTAINER_VALUES = '-e -v -p -u -w -h -l -m -c';

/** Options by the program. A list that contains `--*` also takes long options of other names, with a value. */
const OPTIONS: Readonly<Record<string, RunnerOptions>> = {
  npx: { flags: ['-y', '--yes', '-q', '--quiet'], values: [] },
  bunx: { flags: ['--bun', '--silent', '--verbose'], values: [] },
  uvx: {
    flags: ['-q', '--quiet', '-v', '--verbose', '--isolated', '--no-progress', '--native-tls'],
    values: ['-p', '--python'],
  },
  pipx: { flags: ['-q', '--quiet', '-v', '--verbose'], values: ['--python'] },
  dnx: { flags: ['-y', '--yes'], values: [] },
  docker: { flags: CONTAINER_FLAGS.split(' '), values: [...CONTAINER_VALUES.split(' '), '--*'] },
};

/**
 * Writes the options of an entry for the program that runs its package. An option that selects another package, or takes the
 * name of the package for its value, would start something else.
 *
 * @returns The reason, as text, if an option is not known.
 */
export function writeRunnerArguments(runner: string, all: readonly RunnerArgument[]): readonly string[] | string {
  const options = OPTIONS[runner === 'podman' ? 'docker' : runner];
  if (options === undefined) return all.length === 0 ? [] : `arguments for ${runner}`;
  const words: string[] = [];
  for (const each of all) {
    const written = writeOption(options, each);
    if (written === undefined) return `the argument ${(each.name ?? each.value ?? '').slice(0, 100)} of ${runner}`;
    words.push(...written);
  }
  return words;
}

/** Returns the words of an option, none for one without a value, and `undefined` for one that is refused. */
function writeOption({ flags, values }: RunnerOptions, { name, value }: RunnerArgument): string[] | undefined {
  if (value === undefined) return [];
  const joined = /^(--[\w-]+)=(.*)$/s.exec(name ?? value);
  if (name === undefined && joined === null) return flags.includes(value) ? [value] : undefined;
  const [option = '', text] = joined === null ? [name, value] : [joined[1], name === undefined ? joined[2] : value];
  if (flags.includes(option)) return text === '' ? [option] : undefined;
  const isOther = /^--[a-z][\w-]*$/.test(option) && values.includes('--*');
  if (text === undefined || text === '' || !(values.includes(option) || isOther)) return undefined;
  // In one word, the value cannot be taken for the name of the package, also if the option has none.
  return option.startsWith('--') ? [`${option}=${text}`] : [option, text];
}
