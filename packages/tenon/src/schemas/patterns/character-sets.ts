/** Tells if no character matches two of the character classes, such as `[a-z]` and `\d`. */
export type DisjointTest = (classes: readonly string[]) => boolean;

/** The last sample of the block of Latin characters, which are all samples. */
const LAST_LATIN = 0x17f;
const SAMPLES = [...Array(LAST_LATIN + 1).keys(), 0x3b1, 0x4e2d, 0x2028, 0xfeff, 0x1f600];
/** An escape of one character by its number. */
const NUMBER_ESCAPE = /\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/gi;
/** Classes with characters that are not named: a property, a negation, any character. */
const OPEN_CLASS = /\\[pPWDS]|^\[\^|^\.$/;

/** Characters of a class, as bits of the samples. */
interface CharacterSet {
  readonly bits: Uint32Array;
  /** True if each character that matches the class is a sample. */
  readonly isKnown: boolean;
}

/**
 * Creates the test for the classes of one pattern. It compares them by samples, which contain each character that the
 * pattern names. Returns false if that is not enough to be certain.
 */
export function createDisjointTest(source: string): DisjointTest {
  const samples = [...new Set([...SAMPLES, ...listNamedCharacters(source)])].map(code => String.fromCodePoint(code));
  const size = Math.ceil(samples.length / 32);
  const sets = new Map<string, CharacterSet>();
  const getSet = (chars: string): CharacterSet => {
    let set = sets.get(chars);
    if (set === undefined) {
      set = createSet(chars, samples);
      sets.set(chars, set);
    }
    return set;
  };
  return classes => {
    const union = new Uint32Array(size);
    let unknown = 0;
    for (const { bits, isKnown } of classes.map(getSet)) {
      // Two classes with other characters than the samples may have one of them in common.
      if (!isKnown && ++unknown > 1) return false;
      for (let index = 0; index < size; index++) {
        if (((bits[index] ?? 0) & (union[index] ?? 0)) !== 0) return false;
        union[index] = (union[index] ?? 0) | (bits[index] ?? 0);
      }
    }
    return true;
  };
}

function createSet(chars: string, samples: readonly string[]): CharacterSet {
  const bits = new Uint32Array(Math.ceil(samples.length / 32));
  const add = (index: number) => {
    bits[index >> 5] = (bits[index >> 5] ?? 0) | (1 << (index & 31));
  };
  const isLiteral = chars !== '.' && [...chars].length === 1;
  if (isLiteral) {
    add(samples.indexOf(chars));
    return { bits, isKnown: true };
  }
  const expression = new RegExp(`^(?:${chars})$`, 'u');
  for (const [index, sample] of samples.entries()) if (expression.test(sample)) add(index);
  if (OPEN_CLASS.test(chars)) return { bits, isKnown: false };
  // A range that ends after the Latin characters contains more than the samples.
  const hasRange = chars.startsWith('[') && chars.includes('-');
  return { bits, isKnown: !hasRange || listNamedCharacters(chars).every(code => code <= LAST_LATIN) };
}

/** Lists the characters that a pattern names: literals and escapes by number. */
function listNamedCharacters(source: string): number[] {
  const escaped = [...source.matchAll(NUMBER_ESCAPE)].map(([, point, unit, byte]) =>
    Number.parseInt(point ?? unit ?? byte ?? '0', 16),
  );
  return [...[...source].map(char => char.codePointAt(0) ?? 0), ...escaped].filter(code => code <= 0x10ffff);
}
