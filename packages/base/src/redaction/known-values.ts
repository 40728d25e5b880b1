import { REDACTED } from './secrets.js';

/** Removes given values from a text, also where their characters are encoded as in a URL, a form or JSON. */
export function redactKnownValues(text: string, values: readonly string[], mark = REDACTED): string {
  return values.reduce((clean, value) => (value === '' ? clean : clean.replace(toPattern(value), () => mark)), text);
}

function toPattern(value: string): RegExp {
  const parts = Array.from(value.replace(/\p{Cs}/gu, '\ufffd'), character => {
    const code = character.charCodeAt(0);
    const plain = code < 0x80 ? `\\x${toHex(code, 2)}` : character;
    if (/^[\w.~-]$/.test(character)) return plain;
    const percent = code < 0x80 ? `%${toHex(code, 2)}` : encodeURIComponent(character);
    const forms = [plain, `\\\\${plain}`, matchAnyCase(percent), `\\\\u${matchAnyCase(toHex(code, 4))}`];
    return `(?:${[...forms, ...(character === ' ' ? ['\\+'] : [])].join('|')})`;
  });
  return new RegExp(parts.join(''), 'g');
}

const toHex = (code: number, length: number): string => code.toString(16).padStart(length, '0');

const matchAnyCase = (hex: string): string =>
  hex.replace(/[a-f]/gi, digit => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
