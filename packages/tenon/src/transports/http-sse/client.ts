import type { Channel, Receiver } from '../../jsonrpc/channel.js';
import { systemClock } from '../../jsonrpc/clock.js';
import { TenonError } from '../../jsonrpc/error.js';
import { parseJson } from '../../jsonrpc/parse-json.js';
import { closedError, refusal, unreadableError } from '../http/client-errors.js';
import { type Lease, Leases } from '../http/client-leases.js';
import { type EndpointOptions, MAX_MESSAGE } from '../http/client-options.js';
import { requestId } from '../http/client-post.js';
import { createRoad, drain, isEventStream, isSuccess } from '../http/client-road.js';
import type { HttpReply } from '../http/requester.js';
import { readSse, type SseEvent } from '../http/sse-read.js';

export interface HttpSseOptions extends EndpointOptions {
  /** How long `open` waits for the server to say where to POST, in milliseconds. Default `ENDPOINT_WAIT`. */
  readonly endpointWait?: number;
}

const ENDPOINT_WAIT = 10_000;

/**
 * A client's road to the two endpoints of HTTP+SSE: what the server says comes on one event stream, what the client says
 * goes by POST to the address that the stream names first. The channel ends with its stream. Throws `http/bad-url`;
 * `open` rejects with `http/no-endpoint`, `http/foreign-endpoint`, or as `send` of a Streamable HTTP channel does.
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export function openHttpSse(url: string | URL, options: HttpSseOptions): Channel {
  let restart = (_wait: boolean): void => {};
  const onSigningIn = (signingIn: boolean) => {
    restart(!signingIn);
    options.onSigningIn?.(signingIn);
  };
  const road = createRoad(url, { ...options, onSigningIn });
  const { peer } = road;
  const leases = new Leases();
  const clock = options.clock ?? systemClock;
  const maxMessage = options.maxMessage ?? MAX_MESSAGE;
  let endpoint: string | undefined;
  let receiver: Receiver | undefined;
  let over = false;

  const end = (error?: TenonError) => {
    if (over) return;
    over = true;
    leases.endAll(error ?? closedError(peer));
    if (endpoint !== undefined) receiver?.closed(error);
  };

  const message = (text: string) => {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (cause) {
      receiver?.unreadable(unreadableError(peer, `${text.length} characters that are none`, cause));
      return;
    }
    receiver?.message(value);
  };

  /** Reads until the stream ends. `found` is called with the address, or with why there is none. */
  const read = async (reply: HttpReply, lease: Lease, found: (address: string | TenonError) => void) => {
    const event = ({ type, data }: SseEvent) => {
      if (lease.aborted) return;
      if (endpoint !== undefined) return type === 'message' ? message(data) : undefined;
      if (type === 'endpoint') found(resolveEndpoint(data, road.url, peer));
      else if (type === 'message') found(noEndpoint(peer, 'a message'));
    };
    const tooLong = () => receiver?.unreadable(unreadableError(peer, `an event of more than ${maxMessage} characters`));
    const reader = readSse({ event, tooLong }, maxMessage);
    try {
      await reply.read(chunk => reader.feed(chunk));
    } catch {
      // The end of the stream, however it comes, is the end of the channel.
    }
    reply.cancel();
    found(noEndpoint(peer, 'the end of the stream'));
    if (endpoint === undefined) return;
    end(new TenonError('connection/closed', 'the event stream ended', { peer, next: 'connect again' }));
  };

  const connect = async (lease: Lease): Promise<void> => {
    const headers = { accept: 'text/event-stream' };
    const reply = await road.request({ method: 'GET', headers, signal: lease });
    if (!isSuccess(reply)) throw await refusal(reply, peer, { hadSession: false });
    if (!isEventStream(reply)) {
      await drain(reply);
      throw noEndpoint(peer, 'no event stream');
    }
    const address = await new Promise<string | TenonError>(found => {
      void read(reply, lease, address => {
        if (endpoint === undefined && typeof address === 'string') endpoint = address;
        found(address);
      });
    });
    if (typeof address !== 'string') throw address;
  };

  return {
    peer,
    listening: true,
    async open(to) {
      receiver = to;
      const lease = leases.lend();
      const { endpointWait = ENDPOINT_WAIT } = options;
      const late = noEndpoint(peer, `nothing in ${endpointWait} ms`);
      let callOff = () => {};
      // Who signs in takes the time that it takes.
      restart = wait => {
        callOff();
        callOff = wait ? clock.after(endpointWait, () => lease.abort(late)) : () => {};
      };
      restart(true);
      try {
        await connect(lease);
      } catch (error) {
        end(TenonError.from(error));
        throw lease.aborted ? lease.reason : error;
      } finally {
        restart(false);
        restart = () => {};
      }
    },
    async send(message, { headers, signal } = {}) {
      if (over || endpoint === undefined) throw closedError(peer);
      const lease = leases.lend(signal);
      try {
        const all = { ...headers, 'content-type': 'application/json' };
        const body = JSON.stringify(message);
        const reply = await road.request({ method: 'POST', headers: all, body, signal: lease, url: endpoint });
        // The address names the session.
        if (!isSuccess(reply))
          throw await refusal(reply, peer, {
            id: requestId(message),
            hadSession: true,
            needsWords: true,
          });
        await drain(reply);
      } finally {
        lease.end();
      }
    },
    close: () => end(),
  };
}

/** The address to POST to. One of another origin is refused: it would be sent the credentials. */
function resolveEndpoint(data: string, base: string, peer: string): string | TenonError {
  let url: URL;
  try {
    url = new URL(data, base);
  } catch {
    return noEndpoint(peer, 'an address that is none');
  }
  if (url.origin === new URL(base).origin && !url.username && !url.password) return url.href;
  return new TenonError('http/foreign-endpoint', 'the server wants the messages sent to somebody else', {
    peer,
    expected: 'an address of its own origin',
    got: url.origin,
    next: 'connect to that server itself if you trust it',
  });
}

function noEndpoint(peer: string, got: string): TenonError {
  return new TenonError('http/no-endpoint', 'this is no HTTP+SSE server', { peer, expected: 'an endpoint event', got });
}
