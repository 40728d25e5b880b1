/**
 * An escape sequence of a terminal.
 * @see https://ecma-international.org/publications-and-standards/standards/ecma-48/
 */

export interface EscapeSequence {
  readonly length: number;
  /** Target of a link (OSC 8). */
  readonly link?: string;
  /** True if the sequence writes to the clipboard of the terminal's user (OSC 52). */
  readonly clipboard?: true;
}

/**
 * Maximum length of a command string. In a longer one, only the opening counts as the sequence, because its end is
 * probably missing.
 */
const MAX_COMMAND_STRING = 8192;
const MAX_PARAMETERS = 64;

/** Second characters of DCS, SOS, OSC, PM and APC after ESC. */
const CONTROL_STRING_CODES = 'PX]^_';

/**
 * Reads the sequence that begins at an ESC or a C1 introducer. If the sequence has no end, only the introducer is
 * returned.
 */
export function readEscape(text: string, at: number): EscapeSequence {
  const code = text.charCodeAt(at);
  const introduced = code === 0x1b ? text[at + 1] : String.fromCharCode(code - 0x40);
  const start = code === 0x1b ? at + 2 : at + 1;
  if (introduced === undefined) return { length: 1 };
  if (introduced === '[') return { length: findParametersEnd(text, start) - at };
  if (CONTROL_STRING_CODES.includes(introduced)) return readCommandString(text, at, start, introduced === ']');
  const isShort = code === 0x1b && introduced >= ' ' && introduced <= '~';
  return { length: isShort ? findShortEnd(text, at + 1) - at : 1 };
}

export const isIntroducer = (code: number): boolean =>
  code === 0x1b || code === 0x90 || code === 0x98 || (code >= 0x9b && code <= 0x9f && code !== 0x9c);

/** Finds the end of a sequence: parameters and intermediates, then one final character. */
function findParametersEnd(text: string, start: number): number {
  const most = Math.min(text.length, start + MAX_PARAMETERS);
  let at = start;
  while (at < most && text[at]! >= ' ' && text[at]! <= '?') at += 1;
  const final = text[at];
  return final !== undefined && final >= '@' && final <= '~' ? at + 1 : at;
}

function findShortEnd(text: string, start: number): number {
  let at = start;
  while (at < start + 4 && text[at] !== undefined && text[at]! >= ' ' && text[at]! <= '/') at += 1;
  const final = text[at];
  return final !== undefined && final >= '0' && final <= '~' ? at + 1 : at;
}

/**
 * Reads a command string up to BEL or ST. Any other control character also ends it, as in most terminals, so that no
 * text is lost.
 */
function readCommandString(text: string, at: number, start: number, isOsc: boolean): EscapeSequence {
  const most = Math.min(text.length, start + MAX_COMMAND_STRING);
  let end = start;
  while (end < most && !isControl(text.charCodeAt(end))) end += 1;
  const ended = getTerminatorLength(text, end);
  if (ended === 0) return { length: start - at };
  const body = text.slice(start, end);
  const length = end + ended - at;
  if (!isOsc) return { length };
  if (body.startsWith('52;')) return { length, clipboard: true };
  const link = /^8;[^;]{0,256};(.+)$/s.exec(body)?.[1];
  return link === undefined ? { length } : { length, link };
}

function getTerminatorLength(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === 0x07 || code === 0x9c) return 1;
  return code === 0x1b && text[at + 1] === '\\' ? 2 : 0;
}

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0);
