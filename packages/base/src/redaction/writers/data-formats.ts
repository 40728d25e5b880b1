import { stringifyJson, stringifyMember } from '../../json/json-text.js';
import { escapeJsonCharacter } from '../invisible-characters.js';

/** Characters that JSON allows in a string, and that a terminal, an editor or an older parser interprets. */
const HIDDEN_IN_DATA = /(?![ \n\t])[\p{Z}\p{C}\p{DI}\u2800]/gu;
const MAX_SHORT_CODE = 0xffff;

/**
 * Writes a value as JSON. Invisible characters become escapes such as `\u202e`, so that the value stays the same.
 *
 * @param indent Number of spaces of a level. Default: one line.
 */
export function writeJson(value: unknown, indent?: number | string): string {
  return escapeJson(stringifyJson(value, indent) ?? 'null');
}

/** Writes a member of an object or array as `writeJson` writes it within its container: with all digits of a number. */
export function writeJsonMember(container: object, key: string | number): string {
  return escapeJson(stringifyMember(container, key));
}

/** Escapes the invisible characters of a JSON text. Line feeds and tabs of its layout stay. */
export function escapeJson(json: string): string {
  return json.replace(HIDDEN_IN_DATA, escapeJsonCharacter);
}

/** Writes a string of TOML in double quotes. Half of a surrogate pair, which TOML cannot express, becomes U+FFFD. */
export function writeTomlString(text: string): string {
  return escapeCodePoints(JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd')));
}

/**
 * Writes a cell of CSV by RFC 4180. A spreadsheet would run a text that begins like a formula, so it gets a quotation mark
 * before it.
 */
export function writeCsvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Checks if a string of YAML must be in double quotes, because other strings have no escapes. */
export function hasYamlEscapes(text: string): boolean {
  return text.search(HIDDEN_IN_DATA) >= 0;
}

/** Escapes the invisible characters of a YAML text, which must be in strings in double quotes. */
export function escapeYaml(yaml: string): string {
  return escapeCodePoints(yaml);
}

/** Escapes invisible characters by their code point. TOML and YAML do not join the halves of a surrogate pair. */
function escapeCodePoints(text: string): string {
  return text.replace(/\p{Cs}/gu, '\ufffd').replace(HIDDEN_IN_DATA, character => {
    const code = character.codePointAt(0) ?? 0;
    const digits = code.toString(16);
    return code > MAX_SHORT_CODE ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
  });
}
