const SECRET_NAME =
  /(?:^|[-_.\s])?(?:token|secret|passw(?:or)?d|pass|pwd|api[-_]?key|key|auth(?:orization)?|bearer|credentials?|cookie|session)(?:$|[-_.\s])/i;
const SECRET_SHAPE = /^(?:sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|AKIA|ya29|eyJ)[-_.A-Za-z0-9]{12,}$/;
const USERINFO = /^([a-z][a-z0-9+.-]*:\/\/)[^/@\s]+@/i;
const REDACTED = '…';
const MAX_LENGTH = 200;
const MIN_SECRET_LENGTH = 4;

/** A command line as an error may show it. Values that look secret are left out; the rest is cut at 200 characters. */
export function redactCommand(command: string, args: readonly string[] = []): string {
  const redactedArgs = args.map((arg, index) => redactArgument(arg, args[index - 1]));
  const line = [command, ...redactedArgs].map(word => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}${REDACTED}` : line;
}

function redactArgument(arg: string, previous: string | undefined): string {
  const nameMatch = /^(-{0,2}[\w.-]+)(=|:(?!\/\/)\s*)(?=.)/s.exec(arg);
  if (nameMatch?.[1] && isSecretName(nameMatch[1])) return `${nameMatch[1]}${nameMatch[2]}${REDACTED}`;
  if (previous?.startsWith('-') && !previous.includes('=') && !arg.startsWith('-') && isSecretName(previous))
    return REDACTED;
  if (SECRET_SHAPE.test(arg)) return REDACTED;
  const value = nameMatch ? arg.slice(nameMatch[0].length) : arg;
  if (SECRET_SHAPE.test(value)) return `${nameMatch?.[0] ?? ''}${REDACTED}`;
  return (nameMatch?.[0] ?? '') + value.replace(USERINFO, `$1${REDACTED}@`).replace(/([?&][^=&]*=)[^&]+/g, redactQuery);
}

function redactQuery(pair: string, name: string): string {
  return isSecretName(name.slice(1, -1)) ? `${name}${REDACTED}` : pair;
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.replace(/([a-z])([A-Z])/g, '$1-$2'));
}

/** Takes the values that must not be shown out of a text: a server may print its environment when it fails. */
export function redactValues(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length >= MIN_SECRET_LENGTH) clean = clean.replaceAll(secret, REDACTED);
  }
  return clean;
}
