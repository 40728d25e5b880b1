import { decodeComponent } from './decode-component.js';

/** Begins the parts of names that are written as JSON. */
const MARK = '~';

/**
 * Encodes a name as one part of a path. Parsers of URLs resolve `.` and `..`, also in escaped form, paths lose empty parts,
 * and a lone surrogate has no bytes. Such names are written as JSON after a `~`.
 */
export function encodePathPart(name: string): string {
  const isPlain = !/^(?:\.{0,2}|~".*)$|\p{Surrogate}/su.test(name);
  return encodeURIComponent(isPlain ? name : MARK + JSON.stringify(name));
}

/** Decodes a part of a path that `encodePathPart` returned. Returns a text that is none unchanged, without its escapes. */
export function decodePathPart(part: string): string {
  const text = decodeComponent(part);
  if (!text.startsWith(`${MARK}"`)) return text;
  try {
    return String(JSON.parse(text.slice(MARK.length)));
  } catch {
    return text;
  }
}
