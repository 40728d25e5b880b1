import type { ConfiguredEntry } from '@tenon/host';
import { createUsageError } from '../usage-error.js';

type Target = ConfiguredEntry['target'];

const REFERENCE = /\$\{(\w+)\}/g;

/** Lists the variables in the texts of a target: `${NAME}`. */
export function listReferences(target: Target): string[] {
  const names = new Set<string>();
  mapTexts(target, text => {
    for (const [, name = ''] of text.matchAll(REFERENCE)) names.add(name);
    return text;
  });
  return [...names];
}

/** Forms in which programs that start servers write variables. */
const FORMS = /\$\{[^}]{0,100}\}?|\$\([^)]{0,100}\)?|\{env:[^}]{0,100}\}?/;

/** Returns the first variable of some texts, in the form of any program. */
export function findVariable(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const [found] = FORMS.exec(text) ?? [];
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Lists the texts of a target that may contain variables. */
export function listTexts(target: Target): string[] {
  const texts: string[] = 'url' in target ? [] : [target.command];
  mapTexts(target, text => {
    texts.push(text);
    return text;
  });
  return texts;
}

/**
 * Replaces the variables in the target of a server by their values.
 * @throws TenonError `cli/usage` for a variable without a value
 */
export function fillReferences(
  { name, target }: Pick<ConfiguredEntry, 'name' | 'target'>,
  values: Readonly<Record<string, string | undefined>>,
): Target {
  const missing = listReferences(target).filter(each => !values[each]);
  if (missing.length > 0)
    throw createUsageError(
      `${name}: environment variables are not set: ${missing.join(', ')}`,
      'set them, or pass --env NAME=VALUE for values that are no secrets',
    );
  return mapTexts(target, text => text.replace(REFERENCE, (_, each: string) => values[each] ?? ''));
}

function mapTexts<T extends Target>(target: T, change: (text: string) => string): T {
  const mapRecord = (record: object = {}) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(String(value))]));
  if ('url' in target) return { ...target, url: change(String(target.url)), headers: mapRecord(target.headers) };
  return { ...target, args: (target.args ?? []).map(change), env: mapRecord(target.env) };
}
