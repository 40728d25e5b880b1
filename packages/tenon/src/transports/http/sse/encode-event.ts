/**
 * Content type of server-sent events. JSON text contains no line break, so one message is one `data` line.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

export const EVENT_STREAM = 'text/event-stream';

export const KEEP_ALIVE = ': keep-alive\n\n';

/** Encodes a message as an event. */
export function encodeEvent(json: string, id?: string): string {
  return id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;
}

/** Encodes an event with a type, for HTTP+SSE. */
export function encodeNamedEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

/** Encodes an event with only an ID and the reconnect delay in milliseconds. */
export function encodePrimingEvent(id: string, retry: number): string {
  return `id: ${id}\nretry: ${retry}\ndata: \n\n`;
}
