import { listReferences, shortenText } from './mask-secrets.js';
import type { ConfiguredEntry } from './server-entry.js';

/** Maximum number of characters of a command that are searched, because each pattern takes time. */
const MAX_LINE = 8000;

/** Environment variables that make a program load or run other code. */
const LOADER_VARIABLES =
  /^(LD_(PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|NODE_OPTIONS|NODE_PATH|PYTHON(PATH|STARTUP|HOME)|PERL5(LIB|OPT)|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|BASH_ENV|ENV|PATH|PROMPT_COMMAND|GIT_\w*(COMMAND|EDITOR|ASKPASS)|(HTTPS?|ALL)_PROXY|NODE_TLS_REJECT_UNAUTHORIZED)$/i;

export const isLoaderVariable = (name: string): boolean => LOADER_VARIABLES.test(name);

const SHELLS = /^(sh|bash|zsh|dash|ksh|fish|cmd|powershell|pwsh)(\.exe)?$/i;
const INTERPRETERS = /^(node|deno|bun|python[\d.]*|perl|ruby|php|osascript)(\.exe)?$/i;

/**
 * Finds parts of a server entry that the user should review before approval. It is a help for the user and not a
 * protection, because it does not detect everything.
 */
export function findDangers({ target, trusted, written = {} }: ConfiguredEntry): string[] {
  const dangers = trusted ? ['what the server says of its tools is to be believed (`trusted`)'] : [];
  if ('url' in target) return [...dangers, ...listSentVariables(written)];
  const { command, args = [], env = {} } = target;
  const program = command.split(/[\\/]/).at(-1) ?? '';
  const whole = [command, ...args].join(' ');
  const line = whole.slice(0, MAX_LINE);
  const found: [boolean, string][] = [
    [
      SHELLS.test(program) && args.some(each => /^(-\w*c\w*|\/c|-enc\w*|-command)$/i.test(each)),
      'it is a shell script',
    ],
    [
      INTERPRETERS.test(program) && args.some(each => /^(-e|-c|-r|--eval|eval|--import|--require)$/.test(each)),
      'it runs code from its arguments',
    ],
    [
      /^(sudo|doas|su|pkexec|runas)(\.exe)?$/i.test(program) || /\bsudo\b/.test(line),
      'it asks for the rights of another user',
    ],
    [/\b(curl|wget|iwr|invoke-webrequest)\b[^|]*\|/i.test(line), 'it runs what it loads from the network'],
    [/\brm\s+-\w*[rf]/.test(line), 'it deletes files'],
    [/--privileged\b|\/var\/run\/docker\.sock/.test(line), 'it leaves its container'],
    [
      /(^|[\s=:'"/\\])\.(ssh|aws|gnupg|kube|netrc|npmrc|docker)\b|\/etc\/(passwd|shadow|sudoers)/.test(line),
      'it names places where credentials are kept',
    ],
  ];
  if (whole.length > MAX_LINE) dangers.push(`only its first ${MAX_LINE} characters were looked through`);
  const loading = Object.keys(env).filter(isLoaderVariable);
  return [
    ...dangers,
    ...found.flatMap(([is, what]) => (is ? [what] : [])),
    ...loading.map(name => `${name} changes what its programs load, or whom they believe`),
  ];
}

/** Lists environment variables that are sent to another machine. A project may name any variable and any URL. */
function listSentVariables(written: Readonly<Record<string, string>>): string[] {
  const sent = Object.entries(written).filter(([key]) => key === 'url' || key.startsWith('headers.'));
  const names = new Set(
    sent.flatMap(([, text]) => listReferences(text).flatMap(({ kind, name }) => (kind === 'env' ? name : []))),
  );
  return [...names].map(name => `the variable ${shortenText(name)} is sent there`);
}
