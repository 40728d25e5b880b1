// @ts-check
/** Reads what came over a socket: one answer of HTTP/1.1, as JSON or as an event stream. */

/** @typedef {{ [key: string]: any }} Json */

/**
 * The answer to the request `id`, if all of it is there.
 * @param {string} text in latin1: one character per byte
 * @param {unknown} id
 * @returns {{ head: string, answer: Json | undefined } | undefined}
 */
export function readAnswer(text, id) {
  const ends = text.indexOf('\r\n\r\n');
  if (ends < 0) return undefined;
  const head = text.slice(0, ends);
  const read = bodyOf(head, text, ends + 4);
  return read === undefined ? undefined : { head, answer: messageOf(head, read, id) };
}

/** @param {string} head @param {string} text @param {number} start @returns {string | undefined} */
function bodyOf(head, text, start) {
  if (/^transfer-encoding: *chunked/im.test(head)) return unchunk(text, start);
  const [, length = '0'] = /^content-length: *(\d+)/im.exec(head) ?? [];
  const end = start + Number(length);
  return text.length < end ? undefined : text.slice(start, end);
}

/** @param {string} text @param {number} start @returns {string | undefined} */
function unchunk(text, start) {
  let body = '';
  let at = start;
  for (;;) {
    const line = text.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(text.slice(at, line), 16);
    const end = line + 2 + size + 2;
    if (text.length < end) return undefined;
    if (size === 0) return body;
    body += text.slice(line + 2, end - 2);
    at = end;
  }
}

/** @param {string} head @param {string} body @param {unknown} id @returns {Json | undefined} */
function messageOf(head, body, id) {
  if (body === '') return undefined;
  if (!/^content-type: *text\/event-stream/im.test(head)) return JSON.parse(body);
  const messages = body.split('\n').filter(line => line.startsWith('data: {'));
  return messages.map(line => JSON.parse(line.slice(6))).find(message => message.id === id);
}
