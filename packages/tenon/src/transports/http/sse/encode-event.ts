/**
 * Server-sent events, as they are written. https://html.spec.whatwg.org/multipage/server-sent-events.html
 * JSON text holds no line break, so one message is one `data` line.
 */

export const EVENT_STREAM = 'text/event-stream';

export const KEEP_ALIVE = ': keep-alive\n\n';

/** One message. */
export function encodeEvent(json: string, id?: string): string {
  return id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;
}

/** One message with the name of its kind, for the two-endpoint transport. */
export function encodeNamedEvent(event: string, data: string): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

/** An event that carries nothing but its id and how many milliseconds to wait before coming back. */
export function encodePrimingEvent(id: string, retry: number): string {
  return `id: ${id}\nretry: ${retry}\ndata: \n\n`;
}
