import { createDigestName } from '../catalog/names/label.js';

/**
 * Names that a provider accepts for names that it may not: the same where it does, else with a digest. In the order given,
 * each once, whatever the others are called.
 */
export function mapAcceptedNames(names: readonly string[], pattern: RegExp): ReadonlyMap<string, string> {
  const taken = new Set(names.filter(name => pattern.test(name)));
  const outers = names.map(name => {
    if (pattern.test(name)) return [name, name] as const;
    for (let attempt = 0; ; attempt++) {
      const made = createDigestName(name.slice(0, 128), [name], 62, attempt);
      const outer = pattern.test(made) ? made : `t_${made.replaceAll('-', '_')}`;
      if (taken.has(outer)) continue;
      taken.add(outer);
      return [name, outer] as const;
    }
  });
  return new Map(outers);
}
