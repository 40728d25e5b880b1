import { LazyAbortSignal, TenonError } from '@tenon/base';
import type { Transport } from 'tenon';
import {
  createNotification,
  type Id,
  isId,
  isMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type RequestIO,
  readMeta,
} from 'tenon/testing-internals';
import type { SessionRecorder } from '../recorder.js';
import { rewriteServerMessage } from '../replay/rewrite-ids.js';
import { RequestTracker } from '../request-tracker.js';
import { toForwardFailure } from './forward-error.js';
import type { RecordingProxyOptions } from './recording-proxy.js';

interface ForwardedRequest {
  readonly original: JsonRpcRequest;
  readonly sent: JsonRpcRequest;
  readonly io: RequestIO;
  respond(response: JsonRpcResponse): void;
}

interface Upstream {
  readonly transport: Transport;
  readonly recorder: SessionRecorder;
}

/**
 * Forwards stateless requests over one connection. Each request gets an ID and a progress token of its own, because the
 * clients do not know each other.
 */
export class StatelessProxy {
  readonly #options: RecordingProxyOptions;
  readonly #open = new RequestTracker<ForwardedRequest>();
  #upstream: Promise<Upstream> | undefined;
  #count = 0;

  constructor(options: RecordingProxyOptions) {
    this.#options = options;
  }

  answer(original: JsonRpcRequest, io: RequestIO): Promise<JsonRpcResponse> {
    this.#count += 1;
    const sent = withId(original, this.#count);
    const signal = new LazyAbortSignal();
    return new Promise(resolve => {
      const forwarded: ForwardedRequest = { original, sent, io, respond: resolve };
      const cancel = () => {
        signal.abort();
        void this.#cancel(forwarded);
      };
      io.onClientClosed(cancel);
      io.onShutdown?.(cancel);
      this.#open.add(sent, forwarded);
      void this.#send(forwarded, signal);
    });
  }

  async close(): Promise<void> {
    const upstream = await this.#upstream?.catch(() => undefined);
    upstream?.recorder.close();
    await upstream?.transport.close();
  }

  async #send({ sent }: ForwardedRequest, signal: LazyAbortSignal): Promise<void> {
    try {
      const { transport, recorder } = await this.#getUpstream();
      recorder.record('send', sent);
      await transport.send(sent, { signal });
    } catch (error) {
      this.#fail(sent.id, error);
    }
  }

  #getUpstream(): Promise<Upstream> {
    this.#upstream ??= this.#openUpstream();
    return this.#upstream;
  }

  async #openUpstream(): Promise<Upstream> {
    try {
      const transport = await this.#options.openUpstream();
      const recorder = this.#options.recorder.openSession();
      await transport.open({
        onMessage: (value, context) => this.#receive(recorder, value, context?.relatedTo),
        onParseError: error => this.#options.onError?.(error),
        onResponseLost: (id, error) => this.#fail(id, error),
        onClose: error => this.#handleClose(error),
      });
      return { transport, recorder };
    } catch (error) {
      this.#upstream = undefined;
      throw error;
    }
  }

  #handleClose(error = new TenonError('connection/closed', 'the server has closed the connection')): void {
    this.#upstream = undefined;
    for (const id of this.#open.ids) this.#fail(id, error);
  }

  #receive(recorder: SessionRecorder, value: unknown, relatedTo: Id | undefined): void {
    if (!isMessage(value)) return;
    recorder.record('recv', value, { relatedTo });
    if (!('method' in value)) {
      const forwarded = isId(value.id) ? this.#open.take(value.id) : undefined;
      return forwarded?.respond({ ...value, id: forwarded.original.id });
    }
    const forwarded = this.#open.find(value, relatedTo);
    if (forwarded === undefined) return;
    const { original, sent, io } = forwarded;
    const token = readMeta(original.params ?? {}).progressToken;
    const message = rewriteServerMessage(value, {
      clientId: id => (id === sent.id ? original.id : undefined),
      progressToken: () => (isId(token) ? token : undefined),
    });
    if ('method' in message && !('id' in message)) void io.send(message);
  }

  #fail(id: Id, error: unknown): void {
    const forwarded = this.#open.take(id);
    forwarded?.respond(toForwardFailure(error, forwarded.original.id));
  }

  /** Cancels a request whose client has closed its connection. Over HTTP, the aborted signal cancels it. */
  async #cancel({ sent }: ForwardedRequest): Promise<void> {
    if (this.#open.take(sent.id) === undefined) return;
    const upstream = await this.#upstream?.catch(() => undefined);
    if (upstream?.transport.network !== 'pipe') return;
    const notification = createNotification('notifications/cancelled', { requestId: sent.id });
    upstream.recorder.record('send', notification);
    await upstream.transport.send(notification);
  }
}

/** Replaces the ID and the progress token of a request. */
function withId(request: JsonRpcRequest, id: number): JsonRpcRequest {
  const { params } = request;
  const meta = readMeta(params ?? {});
  if (meta.progressToken === undefined) return { ...request, id };
  return { ...request, id, params: { ...params, _meta: { ...meta, progressToken: id } } };
}
