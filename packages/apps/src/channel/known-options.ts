/** Throws for an option that does not exist, because a mistyped option would have no effect. */
export function requireKnownOptions(subject: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(options))
    if (!known.includes(name))
      throw new TypeError(`${subject}: unknown option "${name}". Expected ${known.join(', ')}`);
}
