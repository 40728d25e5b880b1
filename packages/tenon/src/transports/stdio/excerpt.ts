const UNSAFE_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const ANSI_SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;

/** The head of what a peer sent, quoted and fit for a terminal and a log. */
export function formatExcerpt(text: string, length = 80): string {
  const head = text.slice(0, length).replace(UNSAFE_CHARACTERS, escapeCharacter);
  return text.length > length ? `“${head}…” (${text.length} characters)` : `“${head}”`;
}

/** A line as it may be shown: without the sequences that move a cursor, set a title or hide text. */
export function stripControlCharacters(line: string): string {
  return line.replace(ANSI_SEQUENCES, '').replace(UNSAFE_CHARACTERS, character => (character === '\t' ? ' ' : ''));
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
