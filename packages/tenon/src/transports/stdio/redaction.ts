const SECRET_NAME =
  /(?:^|[-_.\s])?(?:token|secret|passw(?:or)?d|pass|pwd|api[-_]?key|key|auth(?:orization)?|bearer|credentials?|cookie|session)(?:$|[-_.\s])/i;
const SECRET_SHAPE = /^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|AKIA|ya29|eyJ)[-_.A-Za-z0-9]{12,}$/;
const USERINFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/@\s]+@/i;
const HIDDEN = '…';
const LONGEST = 200;
const SHORTEST_SECRET = 4;

/** A command line as an error may show it. Values that look secret are left out; the rest is cut at 200 characters. */
export function shownCommand(command: string, args: readonly string[] = []): string {
  const shown = args.map((arg, index) => shownArgument(arg, args[index - 1]));
  const line = [command, ...shown].map(word => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}${HIDDEN}` : line;
}

function shownArgument(arg: string, before: string | undefined): string {
  const named = /^(-{0,2}[\w.-]+)(=|:(?!\/\/)\s*)(?=.)/s.exec(arg);
  if (named?.[1] && isSecretName(named[1])) return `${named[1]}${named[2]}${HIDDEN}`;
  if (before?.startsWith('-') && !before.includes('=') && !arg.startsWith('-') && isSecretName(before)) return HIDDEN;
  if (SECRET_SHAPE.test(arg)) return HIDDEN;
  const value = named ? arg.slice(named[0].length) : arg;
  if (SECRET_SHAPE.test(value)) return `${named?.[0] ?? ''}${HIDDEN}`;
  return (named?.[0] ?? '') + value.replace(USERINFO, `$1${HIDDEN}@`).replace(/([?&][^=&]*=)[^&]+/g, hideQuery);
}

function hideQuery(pair: string, name: string): string {
  return isSecretName(name.slice(1, -1)) ? `${name}${HIDDEN}` : pair;
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/([a-z])([A-Z])/g, '$1-$2'));
}

/** Takes the values that must not be shown out of a text: a server may print its environment when it fails. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, HIDDEN);
  }
  return clean;
}
