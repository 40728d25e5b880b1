import { redactSecrets } from '@tenon/base';

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

/** Variables that name certificates, or switch sources of certificates and proxies. They are paths and flags. */
const NETWORK_SETTINGS = [
  ...['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'NODE_USE_ENV_PROXY', 'SSL_CERT_FILE', 'SSL_CERT_DIR'],
  ...['REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'AWS_CA_BUNDLE', 'GIT_SSL_CAINFO', 'DENO_CERT', 'DENO_TLS_CA_STORE'],
  ...['NPM_CONFIG_CAFILE', 'PIP_CERT', 'UV_NATIVE_TLS', 'UV_SYSTEM_CERTS', 'NO_PROXY', 'NPM_CONFIG_NOPROXY'],
];

/** Variables that contain URLs of proxies and of package registries. They may contain credentials. */
const NETWORK_ADDRESSES = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NPM_CONFIG_PROXY', 'NPM_CONFIG_HTTPS_PROXY', 'PIP_PROXY'],
  ...['NPM_CONFIG_REGISTRY', 'YARN_NPM_REGISTRY_SERVER', 'BUN_CONFIG_REGISTRY', 'PIP_INDEX_URL', 'PIP_EXTRA_INDEX_URL'],
  ...['UV_INDEX_URL', 'UV_EXTRA_INDEX_URL', 'UV_DEFAULT_INDEX', 'UV_INDEX', 'UV_PYTHON_INSTALL_MIRROR'],
];

export interface PlatformEnvironment {
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Creates the environment of a server: variables of the platform and `LC_*` of this process, those for proxies,
 * certificates and package registries that hold no credentials, then the configured ones.
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
    if (value === undefined || value.startsWith('()')) continue;
    const known = safe.has(normalizeName(name)) || normalizeName(name).startsWith('LC_');
    // Variables of the network have capital or small letters. An address with credentials is not passed on. It may have
    // them without a scheme before it.
    const upper = name.toUpperCase();
    const isSafeAddress = NETWORK_ADDRESSES.includes(upper) && !value.includes('@') && redactSecrets(value) === value;
    if (known || NETWORK_SETTINGS.includes(upper) || isSafeAddress) selected.set(normalizeName(name), [name, value]);
  }
  for (const [name, value] of Object.entries(overrides ?? {})) selected.set(normalizeName(name), [name, value]);
  const result: Record<string, string> = {};
  for (const [name, value] of selected.values()) if (value !== undefined) result[name] = value;
  return result;
}
