import { setTimeout } from 'node:timers/promises';

/** A session over plain HTTP, which sends a request again when its connection breaks or the balancer has no replica. */
export interface RawSession {
  /** Status codes of requests that were sent again; 0 for a broken connection. */
  readonly retries: number[];
  /** Calls a tool. Returns the text of its result. */
  call(name: string, input?: object): Promise<string>;
  /** Calls a tool once. Returns the text of its result, or `undefined` if the connection breaks. */
  callOnce(name: string, input?: object): Promise<string | undefined>;
  /** Calls a tool once. Returns the code of its error, or `undefined` for a result. */
  callForError(name: string): Promise<number | undefined>;
  /** Begins a call with a stream. Returns the id of its first event. */
  beginCall(name: string, input?: object): Promise<string>;
  /** Resumes a stream. Returns the response on it. */
  resume(lastEventId: string): Promise<unknown>;
  /** Notifies the server that the session is initialized, so that it sends notifications. */
  confirm(): Promise<void>;
  /** Sends a request, and returns its result. */
  request(method: string, params: object): Promise<unknown>;
  /** Opens the standalone stream, and returns its text when it contains `expected`. */
  waitForEvent(expected: string): Promise<string>;
  /** The same session at another address. */
  at(url: string): RawSession;
}

const VERSION = '2025-11-25';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export async function openRawSession(url: string): Promise<RawSession> {
  const clientInfo = { name: 'raw', version: '1.0.0' };
  const params = { protocolVersion: VERSION, capabilities: {}, clientInfo };
  for (;;) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    const response = await postUntilAnswered(url, HEADERS, body);
    const id = response.headers.get('mcp-session-id');
    if (id !== null) return createRawSession(url, id, []);
    if (response.status !== 503) throw new Error(`no session: HTTP ${response.status}`);
    // A process connects to a store that was restarted after a while.
    await setTimeout(50);
  }
}

/** Posts again when the connection fails: HAProxy ends connections to a process that it has found to be down. */
async function postUntilAnswered(url: string, headers: Record<string, string>, body: string): Promise<Response> {
  for (;;) {
    try {
      const response = await fetch(url, { method: 'POST', headers, body });
      await response.text();
      return response;
    } catch {
      await setTimeout(50);
    }
  }
}

function createRawSession(url: string, session: string, retries: number[], ids = { last: 0 }): RawSession {
  const headers = { ...HEADERS, 'mcp-session-id': session, 'mcp-protocol-version': VERSION };
  const post = (name: string, input: object, more: object = {}) =>
    fetch(url, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: `${session}-${++ids.last}`,
        method: 'tools/call',
        params: { name, arguments: input, ...more },
      }),
    });
  return {
    retries,
    async call(name, input = {}) {
      for (;;) {
        const [status, body] = await post(name, input).then(
          async response => [response.status, await response.text().catch(() => '')] as const,
          () => [0, ''] as const,
        );
        if (status === 200 && body !== '') return JSON.parse(body).result.content[0].text;
        retries.push(status);
        if (status === 404) throw new Error('the session is gone');
        await setTimeout(20);
      }
    },
    callOnce: (name, input = {}) =>
      post(name, input).then(
        async response => JSON.parse(await response.text()).result.content[0].text,
        () => undefined,
      ),
    async callForError(name) {
      const { error } = (await (await post(name, {})).json()) as { error?: { code: number } };
      return error?.code;
    },
    async beginCall(name, input = {}) {
      const response = await post(name, input, { _meta: { progressToken: 1 } });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      void reader.closed.catch(() => {});
      return /^id: (.*)$/m.exec(new TextDecoder().decode(value))?.[1] ?? '';
    },
    async resume(lastEventId) {
      for (;;) {
        const response = await fetch(url, { headers: { ...headers, 'last-event-id': lastEventId } });
        const messages = [...(await response.text()).matchAll(/^data: (.+)$/gm)].map(([, data]) =>
          JSON.parse(data ?? ''),
        );
        if (response.status !== 200 && response.status !== 503) throw new Error(`not resumed: HTTP ${response.status}`);
        const found = messages.find(message => !('method' in message));
        if (found !== undefined) return found;
        // Clients resume a stream that ends without the response, and wait where the store does not respond.
        await setTimeout(50);
      }
    },
    async confirm() {
      const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
      await postUntilAnswered(url, headers, body);
    },
    async request(method, params) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: `${session}-${++ids.last}`, method, params });
      return ((await (await fetch(url, { method: 'POST', headers, body })).json()) as { result?: unknown }).result;
    },
    async waitForEvent(expected) {
      const response = await fetch(url, { headers });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      let text = '';
      for (;;) {
        const { done, value } = await reader.read();
        text += new TextDecoder().decode(value);
        if (text.includes(expected) || done) break;
      }
      await reader.cancel();
      return text;
    },
    at: other => createRawSession(other, session, retries, ids),
  };
}
