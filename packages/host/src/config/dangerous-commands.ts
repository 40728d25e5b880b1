import { checkObject, requireArgument } from '@tenon/base';
import { findContainerDangers } from './container-dangers.js';
import { isLoaderVariable } from './loader-variables.js';
import { listReferences, shortenText } from './mask-secrets.js';
import { type ConfiguredEntry, checkTarget } from './server-entry.js';

/** Maximum number of characters of a command that are searched, because each pattern takes time. */
const MAX_LINE = 8000;

const SHELLS = /^(?:sh|bash|zsh|dash|ksh|fish|csh|tcsh|busybox|cmd|powershell|pwsh|wsl)(?:\.exe)?$/i;
const SHELL_SCRIPT = /^(?:-\w*c\w*|\/c|\/k|-enc\w*|-command|-e)$/i;
const INTERPRETERS =
  /^(?:node|deno|bun|tsx|ts-node|python[\d.]*|pypy[\d.]*|perl|ruby|php|lua|osascript|Rscript|awk|gawk|env|xargs|find)(?:\.exe)?$/i;
const INLINE_CODE =
  /^(?:-(?:e|c|r|p|pe|i|E|M|S|exec)|--?(?:eval|print|import|require|loader|experimental-loader|split-string)(?:=.*)?|eval)$/s;
const RUNNERS = /^(?:npx|npm|pnpm|pnpx|yarn|bunx|bun|uvx|uv|pipx|pip3?|dnx|dotnet)(?:\.cmd|\.exe)?$/i;
const OTHER_CODE =
  /^(?:-c|--call|--package|--from|--with|--with-editable|--with-requirements|--spec|--pip-args)(?:=|$)/;
const OTHER_REGISTRY =
  /^--?(?:(?:@[\w.-]+:)?registry|userconfig|globalconfig|index|index-url|extra-index-url|default-index|find-links|index-strategy|trusted-host|allow-insecure-host|source|configfile)(?:=|$)/;

/**
 * Finds parts of a server entry that the user should review before approval, wherever the entry comes from. It is a help for
 * the user and not a protection, because it does not detect everything.
 */
export function findDangers(entry: Pick<ConfiguredEntry, 'target' | 'trusted' | 'written'>): string[] {
  requireArgument('`entry` of findDangers', entry, checkObject({ target: checkTarget }));
  const { target, trusted, written = {} } = entry;
  const dangers = trusted ? ['what the server says of its tools is to be believed (`trusted`)'] : [];
  if ('url' in target) return [...dangers, ...listSentVariables(written)];
  const { command, args = [], env = {} } = target;
  const program = command.split(/[\\/]/).at(-1) ?? '';
  const commandLine = [command, ...args].join(' ');
  const line = commandLine.slice(0, MAX_LINE);
  const isRunner = RUNNERS.test(program);
  const found: [boolean, string][] = [
    [SHELLS.test(program) && args.some(each => SHELL_SCRIPT.test(each)), 'it is a shell script'],
    [
      INTERPRETERS.test(program) && (args.some(each => INLINE_CODE.test(each)) || /^-[ecrpEM]\S/.test(args[0] ?? '')),
      'it runs code from its arguments',
    ],
    [isRunner && args.some(each => OTHER_CODE.test(each)), 'it runs another package or a command of its arguments'],
    [isRunner && args.some(each => OTHER_REGISTRY.test(each)), 'it installs from a registry of its arguments'],
    [
      /^(?:sudo|doas|su|pkexec|runas)(?:\.exe)?$/i.test(program) || /\bsudo\b/.test(line),
      'it asks for the rights of another user',
    ],
    [/\b(?:curl|wget|iwr|invoke-webrequest)\b[^|]*\|/i.test(line), 'it runs what it loads from the network'],
    [/\brm\s+-\w*[rf]/.test(line), 'it deletes files'],
    [
      /(?:^|[\s=:'"/\\])\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker)\b|\/etc\/(?:passwd|shadow|sudoers)/.test(line),
      'it names places where credentials are kept',
    ],
  ];
  if (commandLine.length > MAX_LINE) dangers.push(`only its first ${MAX_LINE} characters were looked through`);
  const assigned = args.flatMap(each => /^([A-Za-z_]\w*)=/.exec(each.slice(0, MAX_LINE))?.[1] ?? []);
  const loading = new Set([...Object.keys(env), ...assigned].filter(isLoaderVariable));
  return [
    ...dangers,
    ...found.flatMap(([is, what]) => (is ? [what] : [])),
    ...findContainerDangers(program, args),
    ...[...loading].map(name => `${name} changes what its programs load, or whom they believe`),
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
