const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g;

/** The head of what a peer sent, quoted and fit for a terminal and a log. */
export function excerpt(text: string, length = 80): string {
  const head = text.slice(0, length).replace(UNSAFE, escaped);
  return text.length > length ? `“${head}…” (${text.length} characters)` : `“${head}”`;
}

/** A line as it may be shown: without the sequences that move a cursor, set a title or hide text. */
export function plain(line: string): string {
  return line.replace(ANSI, '').replace(UNSAFE, character => (character === '\t' ? ' ' : ''));
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
