// @ts-check
/** Reads what came over a socket: one answer of HTTP/1.1, as JSON or as an event stream. */

/** @typedef {import('./connections.mjs').Json} Json */

/** What ends a body of chunks. It may stand in the middle of one as well. */
const END = '0\r\n\r\n';

/**
 * Collects what comes, in latin1: one character per byte. It looks only at what may be complete, so that an answer that
 * comes in many pieces is read once.
 */
export class ResponseReader {
  /** @type {string[]} */
  #pieces = [];
  #size = 0;
  #head = '';
  /** The last characters of all that came. */
  #tail = '';
  /** Of head and body; unknown as long as the head is not there, `NaN` for a body of chunks. @type {number | undefined} */
  #length;

  /** Gives the answer to the request `id` as soon as all of it is there. @param {string} piece @param {unknown} id @returns {import('./connections.mjs').Reply | undefined} */
  take(piece, id) {
    this.#pieces.push(piece);
    this.#size += piece.length;
    this.#tail = (this.#tail + piece.slice(-END.length)).slice(-END.length);
    if (this.#length === undefined) this.#readHead();
    if (this.#length === undefined || this.#size < this.#length) return undefined;
    if (Number.isNaN(this.#length) && this.#tail !== END) return undefined;
    const body = this.#body();
    if (body === undefined) return undefined;
    this.#pieces = [];
    this.#size = 0;
    this.#length = undefined;
    const messages = parseMessages(this.#head, body);
    return { head: this.#head, messages, answer: messages.find(message => message.id === id) };
  }

  #readHead() {
    const text = this.#text();
    const ends = text.indexOf('\r\n\r\n');
    if (ends < 0) return;
    this.#head = text.slice(0, ends);
    const [, length = '0'] = /^content-length: *(\d+)/im.exec(this.#head) ?? [];
    this.#length = /^transfer-encoding: *chunked/im.test(this.#head) ? Number.NaN : ends + 4 + Number(length);
  }

  #body() {
    const text = this.#text();
    const start = this.#head.length + 4;
    return Number.isNaN(this.#length) ? unchunk(text, start) : text.slice(start, this.#length);
  }

  /** All that has come, as one piece from now on. */
  #text() {
    if (this.#pieces.length > 1) this.#pieces = [this.#pieces.join('')];
    return this.#pieces[0] ?? '';
  }
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

/** @param {string} head @param {string} body @returns {Json[]} */
function parseMessages(head, body) {
  if (body === '') return [];
  if (!/^content-type: *text\/event-stream/im.test(head)) return [JSON.parse(body)];
  return body
    .split('\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => JSON.parse(line.slice(6)));
}
