import { setTimeout } from 'node:timers/promises';
import { type Message, readEvents } from './stream-reader.js';

const VERSION = '2025-11-25';
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
/** The balancer or the store is not available, or the process was killed. The client sends the request again. */
const UNAVAILABLE = [502, 503, 504];
/** Time after which a request without an outcome is a failure, in milliseconds. */
const MAX_WAIT = 60_000;

/** Counts of a load, and the errors that were found. */
export interface LoadCounts {
  calls: number;
  /** Requests that were sent again, because their connection broke or the response was 503. */
  retries: number;
  /** Calls with a stream that ended with a result. */
  streams: number;
  /** Streams that were resumed. */
  resumed: number;
  /** Calls that ended with the error of a stopped process. */
  stopped: number;
  answers: number;
  tasks: number;
  updates: number;
  /** Calls of clients of other libraries that failed, and that worked. */
  clientErrors: number;
  clientCalls: number;
  readonly errors: string[];
}

/** A session of one user over plain HTTP. */
export interface LoadSession {
  readonly user: string;
  /** Calls a tool until there is a result. Returns its text. */
  call(name: string, input?: object): Promise<string>;
  /** Calls a tool with a stream, resumes the stream when it breaks, and answers questions. */
  stream(name: string, input?: object): Promise<void>;
  /** Keeps the standalone stream open until the signal is aborted. Calls `onUpdate` for each update of a resource. */
  listen(signal: AbortSignal, onUpdate: () => void): Promise<void>;
  /** Sends a request until it is answered. */
  request(method: string, params: object): Promise<Message>;
  close(): Promise<void>;
}

export async function openLoadSession(url: string, user: string, counts: LoadCounts): Promise<LoadSession> {
  const own: Record<string, string> = { ...HEADERS, 'x-user': user };
  let lastId = 0;
  const send = async (message: object, signal?: AbortSignal): Promise<Response | undefined> => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const init: RequestInit = { method: 'POST', headers: own, body };
    return fetch(url, signal ? { ...init, signal } : init).catch(() => undefined);
  };
  /** Sends a message again until the response is not 503. Each attempt of a request has an ID of its own. */
  const sendUntilTaken = async (message: object, signal?: AbortSignal): Promise<Response> => {
    const startedAt = Date.now();
    for (;;) {
      const isRequest = 'method' in message && !String(message.method).startsWith('notifications/');
      const id = isRequest ? { id: `${user}-${++lastId}` } : {};
      const response = await send({ ...id, ...message }, signal);
      if (response !== undefined && !UNAVAILABLE.includes(response.status)) return response;
      await response?.text().catch(() => '');
      counts.retries++;
      if (Date.now() - startedAt > MAX_WAIT) throw new Error(`no outcome of ${JSON.stringify(message)}`);
      await setTimeout(30);
    }
  };
  const report = (error: string) => void counts.errors.push(`${user}: ${error}`);

  const clientInfo = { name: 'load', version: '1.0.0' };
  const params = { protocolVersion: VERSION, capabilities: { elicitation: {} }, clientInfo };
  const opened = await sendUntilTaken({ method: 'initialize', params });
  await opened.text();
  own['mcp-session-id'] = opened.headers.get('mcp-session-id') ?? '';
  own['mcp-protocol-version'] = VERSION;
  await (await sendUntilTaken({ method: 'notifications/initialized' })).text();

  const request = async (method: string, requestParams: object): Promise<Message> => {
    for (;;) {
      const response = await sendUntilTaken({ method, params: requestParams });
      const text = await response.text().catch(() => '');
      if (response.status !== 200) throw new Error(`${user}: ${method}: HTTP ${response.status} ${text}`);
      if (text !== '' && !text.startsWith(':') && !text.startsWith('id')) return JSON.parse(text) as Message;
      counts.retries++;
    }
  };

  const answer = async (id: string | number) => {
    const result = { action: 'accept', content: { name: user } };
    const response = await sendUntilTaken({ id, result });
    if (response.status !== 202) report(`answer: HTTP ${response.status}`);
    counts.answers++;
  };

  /** Reads a stream with its later connections to the response. */
  async function readToResponse(
    first: Response,
    firstController: AbortController,
    seen: Message[],
  ): Promise<Message | undefined> {
    const ids = new Set<string>();
    const startedAt = Date.now();
    let [response, last]: [Response | undefined, string | undefined] = [first, undefined];
    let controller = firstController;
    for (;;) {
      if (response?.status === 200)
        for await (const { id, message } of readEvents(response, controller)) {
          if (id !== undefined && message !== undefined && ids.has(id)) report(`event ${id} came twice`);
          if (id !== undefined && message !== undefined) ids.add(id);
          last = id ?? last;
          if (message === undefined) continue;
          seen.push(message);
          if (message.method === 'elicitation/create')
            void answer(message.id ?? '').catch(each => report(String(each)));
          if (message.method === undefined) return message;
        }
      else if (response !== undefined && !UNAVAILABLE.includes(response.status)) {
        report(`resume of ${last}: HTTP ${response.status} ${await response.text()}`);
        return undefined;
      }
      // Without an event there is nothing to resume: nobody knows if the request took effect.
      if (last === undefined) return undefined;
      if (Date.now() - startedAt > MAX_WAIT) {
        report(`no outcome on the stream of ${last}`);
        return undefined;
      }
      await setTimeout(30);
      counts.resumed++;
      controller = new AbortController();
      const headers: Record<string, string> = { ...own, 'last-event-id': last };
      response = await fetch(url, { headers, signal: controller.signal }).catch(() => undefined);
    }
  }

  async function listenOnce(
    signal: AbortSignal,
    last: string | undefined,
    onUpdate: () => void,
  ): Promise<string | undefined> {
    let lastEvent = last;
    const headers = { ...own, ...(last === undefined ? {} : { 'last-event-id': last }) };
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener('abort', abort);
    const response = await fetch(url, { headers, signal: controller.signal }).catch(() => undefined);
    if (response?.status === 200)
      for await (const { id, message } of readEvents(response)) {
        lastEvent = id ?? lastEvent;
        if (message?.method === 'notifications/resources/updated') onUpdate();
      }
    else if (response && ![...UNAVAILABLE, 409].includes(response.status)) {
      report(`listen after ${last}: HTTP ${response.status} ${await response.text()}`);
      lastEvent = undefined;
    }
    signal.removeEventListener('abort', abort);
    return lastEvent;
  }

  return {
    user,
    request,
    async call(name, input = {}) {
      counts.calls++;
      return (await request('tools/call', { name, arguments: input })).result?.content[0]?.text ?? '';
    },
    async stream(name, input = {}) {
      const seen: Message[] = [];
      const call = { name, arguments: input, _meta: { progressToken: 1 } };
      const controller = new AbortController();
      const response = await sendUntilTaken({ method: 'tools/call', params: call }, controller.signal);
      const outcome = await readToResponse(response, controller, seen);
      if (outcome === undefined) counts.retries++;
      else if (outcome.error?.code === 503) counts.stopped++;
      else if (outcome.error) report(`${name}: ${JSON.stringify(outcome.error)}`);
      else counts.streams++;
      const progress = seen.flatMap(({ method, params }) =>
        method === 'notifications/progress' ? (params?.progress ?? 0) : [],
      );
      if (progress.some((each, index) => each !== index + 1)) report(`${name}: progress ${progress}`);
      if (name === 'paced' && outcome?.result && progress.length !== 5) report(`${name}: progress ${progress}`);
    },
    async listen(signal, onUpdate) {
      let last: string | undefined;
      while (!signal.aborted) {
        last = await listenOnce(signal, last, onUpdate);
        await setTimeout(30);
      }
    },
    async close() {
      const response = await fetch(url, { method: 'DELETE', headers: own });
      await response.text();
    },
  };
}
