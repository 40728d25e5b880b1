/**
 * Names of variables that a program needs to find its files, its user and its language. None of them contains secrets.
 */
const POSIX_VARIABLES = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'TMP', 'TEMP'],
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'XDG_RUNTIME_DIR'],
];

const WINDOWS_VARIABLES = [
  ...['PATH', 'PATHEXT', 'COMSPEC', 'SYSTEMROOT', 'WINDIR', 'SYSTEMDRIVE', 'OS', 'TEMP', 'TMP', 'TZ', 'LANG'],
  ...['APPDATA', 'LOCALAPPDATA', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH', 'USERNAME', 'USERDOMAIN', 'COMPUTERNAME'],
  ...['PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROGRAMW6432', 'PROGRAMDATA', 'COMMONPROGRAMFILES', 'ALLUSERSPROFILE'],
  ...['PUBLIC', 'PROCESSOR_ARCHITECTURE', 'NUMBER_OF_PROCESSORS', 'PSMODULEPATH'],
];

export interface PlatformEnvironment {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates the environment of a server: variables of the platform and `LC_*` of this process, then the configured ones.
 * A variable with the value `undefined` is omitted. Exported shell functions are never passed on, because a shell would
 * run them.
 */
export function createChildEnvironment(
  overrides: Readonly<Record<string, string | undefined>> | undefined,
  { platform, env }: PlatformEnvironment,
): Record<string, string> {
  const windows = platform === 'win32';
  const safe = new Set(windows ? WINDOWS_VARIABLES : POSIX_VARIABLES);
  // On Windows, PATH and Path are the same variable, so only one of them may be set.
  const normalizeName = (name: string) => (windows ? name.toUpperCase() : name);
  const selected = new Map<string, [name: string, value: string | undefined]>();
  for (const [name, value] of Object.entries(env)) {
    const known = safe.has(normalizeName(name)) || normalizeName(name).startsWith('LC_');
    if (known && value !== undefined && !value.startsWith('()')) selected.set(normalizeName(name), [name, value]);
  }
  for (const [name, value] of Object.entries(overrides ?? {})) selected.set(normalizeName(name), [name, value]);
  const result: Record<string, string> = {};
  for (const [name, value] of selected.values()) if (value !== undefined) result[name] = value;
  return result;
}
