/** Control and format characters, private and unassigned ones, separators other than a space, and what shows as nothing. */
const INVISIBLE = /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** A text in which nothing acts on the terminal or hides: each such character stands there as `⟨U+202E⟩`. */
export function escapeInvisible(text: string): string {
  return text.replace(INVISIBLE, character => `⟨U+${toHex(character.codePointAt(0) ?? 0)}⟩`);
}

/** The same JSON with such characters written as `\u202e`: who reads the file sees that they are there. */
export function escapeInvisibleJson(json: string): string {
  return json.replace(INVISIBLE, character =>
    Array.from({ length: character.length }, (_, at) => `\\u${toHex(character.charCodeAt(at)).toLowerCase()}`).join(''),
  );
}

const toHex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');
