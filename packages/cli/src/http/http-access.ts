import type { HttpTarget } from 'tenon';
import type { AuthExceptionsByServer } from 'tenon/auth';
import type { CliContext } from '../cli-context.js';
import { createPairParser } from '../options/option-parsers.js';
import { createTargetAuthorizer, readOAuthClient } from '../target/target-authorizer.js';
import { createUsageError, readVariable } from '../usage-error.js';
import type { HttpOptions } from './http-options.js';

/** Headers that the transport sets itself, or that belong to the connection. */
const OWN_HEADERS = [
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'transfer-encoding',
];

/** Headers whose values are secrets, and do not belong into a command line. */
const SECRET_HEADER = /^(authorization|cookie|proxy-authorization|.*(api-?key|token|secret).*)$/i;
const VARIABLE = /\$\{(\w+)\}/g;

/** Headers and authorization for the requests to a server at a URL. */
export interface HttpAccess {
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: HttpTarget['auth'];
}

/** Reads the headers and the token that the options name, or creates an authorizer that signs in. */
export async function readHttpAccess(
  context: CliContext,
  options: HttpOptions,
  configured: Readonly<Record<string, string>> = {},
  exceptions: AuthExceptionsByServer = {},
): Promise<HttpAccess> {
  warnOfSecrets(context, options.header ?? {});
  const given = {
    ...(await readHeaderFile(context, options.headerFile)),
    ...replaceVariables(context, options.header),
  };
  for (const [name, value] of Object.entries(given)) checkHeader(name, value);
  const names = new Set(Object.keys(given).map(name => name.toLowerCase()));
  const others = Object.entries(configured).filter(([name]) => !names.has(name.toLowerCase()));
  const headers = { ...Object.fromEntries(others), ...given };
  return { headers, auth: await readAuth(context, options, headers, exceptions) };
}

async function readAuth(
  context: CliContext,
  options: HttpOptions,
  headers: Readonly<Record<string, string>>,
  exceptions: AuthExceptionsByServer,
): Promise<HttpTarget['auth']> {
  const { bearerEnv, tokenFile, auth } = options;
  if (bearerEnv !== undefined && tokenFile !== undefined)
    throw createUsageError('--bearer-env and --token-file both give a token', 'pass one of them');
  if (bearerEnv !== undefined)
    return checkToken(readVariable(context.env, bearerEnv, '--bearer-env'), `--bearer-env ${bearerEnv}`, 'variable');
  if (tokenFile !== undefined) {
    const { readSecretFile } = await import('./secret-file.js');
    return checkToken(await readSecretFile(context, tokenFile, '--token-file'), '--token-file', 'file');
  }
  if (hasToken(headers) || auth === 'none') return undefined;
  return createTargetAuthorizer(context, options, await readOAuthClient(context, options), exceptions);
}

/** Tells if headers contain a token, so that no sign-in adds another one. */
export function hasToken(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some(name => name.toLowerCase() === 'authorization');
}

/** Checks a token without showing it. Texts of files often end with a line break. */
function checkToken(text: string, subject: string, source: 'variable' | 'file'): string {
  const token = text.replace(/[\r\n]+$/, '');
  if (/^[\w\-.~+/]+=*$/.test(token)) return token;
  const character = /[\r\n]/.test(token) ? 'a line break' : /\s/.test(token) ? 'a space' : 'a character';
  throw createUsageError(
    `${subject}: the content of the ${source} has ${character} that a token cannot have`,
    `write the token alone into the ${source}, without quotes and without "Bearer"`,
  );
}

async function readHeaderFile(context: CliContext, file: string | undefined): Promise<Record<string, string>> {
  if (file === undefined) return {};
  const { readSecretFile } = await import('./secret-file.js');
  const parse = createPairParser('--header-file', 'Name: value');
  const lines = (await readSecretFile(context, file, '--header-file')).split(/\r?\n/);
  return lines
    .filter(line => line.trim() !== '' && !line.startsWith('#'))
    .reduce<Record<string, string>>((headers, line) => parse(line, headers), {});
}

function replaceVariables({ env }: CliContext, headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  const replace = (header: string, text: string) =>
    text.replace(VARIABLE, (_, name: string) => {
      const value = env[name];
      if (value !== undefined && value !== '') return value;
      throw createUsageError(
        `header ${header}: environment variable not found: ${name}`,
        `set ${name}, or write the value of the header itself`,
      );
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, replace(name, value)]));
}

function checkHeader(name: string, value: string): void {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
    throw createUsageError('invalid name of a header', "write -H 'Name: value', with a name of letters, digits and -");
  if (OWN_HEADERS.includes(name.toLowerCase()))
    throw createUsageError(`header ${name}: the protocol sets it`, 'remove this header');
  if (/[\0\r\n]/.test(value))
    throw createUsageError(`header ${name}: a line break in its value`, 'write it in one line');
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
    throw createUsageError(
      `header ${name}: a character that HTTP headers cannot have`,
      'write the value in ASCII, for example percent-encoded',
    );
  if (/^(?:bearer|basic)?\s*$/i.test(value))
    throw createUsageError(
      `header ${name}: no value`,
      `a variable may be empty: write -H '${name}: \${VARIABLE}' in single quotes, so that the command reads it`,
    );
}

/** Other users of the machine can read command lines, and shells keep them. */
function warnOfSecrets({ screen }: CliContext, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!SECRET_HEADER.test(name) || /\$\{\w+\}/.test(value)) continue;
    screen.note(
      `warning: ${name} is in the command line, where others can read it: use --header-file or \${VARIABLE}`,
      'warning',
    );
  }
}
