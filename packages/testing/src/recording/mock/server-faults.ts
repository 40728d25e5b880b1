import {
  type Check,
  type Clock,
  checkOneOf,
  checkOptional,
  checkRange,
  checkRecord,
  describeMismatch,
  findNearestKey,
  INTERNAL_ERROR,
  prependPath,
  requirePresentOptions,
  systemClock,
  toJsonObject,
} from '@tenon/base';
import { type MessageContext, type RequestHandler, type RequestHeaders, type Transport, wrapTransport } from 'tenon';
import {
  createFailure,
  createSuccess,
  dialects,
  type Id,
  isMessage,
  type JsonRpcRequest,
  type JsonRpcResponse,
  type RequestIO,
} from 'tenon/testing-internals';
import { malformResponse } from '../../malform-message.js';
import { optionalClock, optionalFunction, optionalSeed, optionalTime } from '../../option-checks.js';
import { createRandom } from './random.js';

/** Fault of a server: an error response, no response, a closed connection, or a malformed response. */
export type ServerFault = 'error' | 'timeout' | 'close' | 'malformed';

/** Options of `withServerFaults`. */
export interface ServerFaultOptions {
  /**
   * Time before each response, in milliseconds.
   * @default 0
   */
  readonly delay?: number | undefined;
  /**
   * Share of calls, reads and prompts that fail with an error, from 0 to 1.
   * @default 0
   */
  readonly failRate?: number | undefined;
  /**
   * Faults by method (`tools/call`), or by method and name (`tools/call:echo`).
   * @default none
   */
  readonly faults?: Readonly<Record<string, ServerFault>> | undefined;
  /**
   * Number from which the choice of failing calls follows.
   * @default 1
   */
  readonly seed?: number | undefined;
  /**
   * Closes the network connection of a request, for the fault `close`. It gets the headers of the HTTP request, if there
   * is one. A transport with a connection is closed as well.
   * @default nothing is called, and the request gets no response
   */
  readonly closeConnection?: ((request: RequestHeaders | undefined) => void) | undefined;
  /**
   * Source of time, for tests.
   * @default the clock of the system
   */
  readonly clock?: Clock | undefined;
}

/** Methods that `failRate` affects. */
const CALLS = new Set(['tools/call', 'resources/read', 'prompts/get']);

const checkFaultName = checkRecord(checkOneOf('error', 'timeout', 'close', 'malformed'));

/** Checks faults by method. Servers may have methods of their own, whose names have a slash. */
const checkFaults: Check = value => {
  const issue = checkFaultName(value);
  if (issue !== undefined) return issue;
  const known = [...new Set(dialects.flatMap(({ methods }) => [...methods.client]))];
  for (const key of Object.keys(toJsonObject(value))) {
    const [method = ''] = key.split(':', 1);
    if (known.includes(method)) continue;
    const nearest = findNearestKey(method, known);
    if (nearest !== undefined || !method.includes('/'))
      return prependPath(
        `/${key.slice(0, 64)}`,
        describeMismatch(nearest ?? 'a method, such as tools/call', key, method),
      );
  }
  return undefined;
};

/** Returns a server that delays its responses, and fails. */
export function withServerFaults(handler: RequestHandler, options: ServerFaultOptions): RequestHandler {
  requirePresentOptions<ServerFaultOptions>('withServerFaults', options, {
    delay: optionalTime,
    failRate: checkOptional(checkRange('a number from 0 to 1', 0, 1)),
    faults: checkOptional(checkFaults),
    seed: optionalSeed,
    closeConnection: optionalFunction,
    clock: optionalClock,
  });
  const { delay = 0, failRate = 0, faults = {}, seed = 1, clock = systemClock, closeConnection } = options;
  const random = createRandom(seed);
  const chooseFault = ({ method, params = {} }: JsonRpcRequest): ServerFault | undefined => {
    const planned = faults[`${method}:${String(params.name ?? params.uri)}`] ?? faults[method];
    if (planned) return planned;
    return failRate > 0 && CALLS.has(method) && random() < failRate ? 'error' : undefined;
  };
  const wait = (run: () => void) => {
    if (delay > 0) clock.after(delay, run, { hold: true });
    else run();
  };

  const receive = (
    transport: Transport,
    request: JsonRpcRequest,
    deliver: () => void,
    context: MessageContext | undefined,
  ): void => {
    const fault = chooseFault(request);
    if (fault === undefined) return wait(deliver);
    if (fault === 'timeout') return;
    wait(() => {
      const response = createFaultResponse(fault, request.id);
      if (response) void transport.send(response, { relatedTo: request.id });
      else {
        closeConnection?.(context?.request);
        void transport.close();
      }
    });
  };

  return {
    ...handler,
    connect: (transport, connectOptions) =>
      handler.connect(
        withReceiver(transport, (value, deliver, context) => {
          if (isMessage(value) && 'method' in value && 'id' in value) receive(transport, value, deliver, context);
          else deliver();
        }),
        connectOptions,
      ),
    answer(request, route, io) {
      const fault = chooseFault(request);
      return new Promise<JsonRpcResponse>(resolve => {
        const answer = async () => resolve(await handler.answer(request, route, io));
        if (fault === undefined) return wait(() => void answer());
        const response = createFaultResponse(fault, request.id);
        if (response) return wait(() => resolve(response));
        resolveAtEnd(io, request.id, resolve);
        if (fault === 'close') wait(() => closeConnection?.(io.request));
      });
    },
  };
}

/** Creates the response of a fault. Returns `undefined` for a fault without a response. */
function createFaultResponse(fault: ServerFault, id: Id): JsonRpcResponse | undefined {
  if (fault === 'error')
    return createFailure(id, { code: INTERNAL_ERROR, message: 'Internal error: the mock server was told to fail' });
  return fault === 'malformed' ? malformResponse(createSuccess(id, {})) : undefined;
}

/** Ends a request without a response when the client or the server ends. */
function resolveAtEnd(io: RequestIO, id: Id, resolve: (response: JsonRpcResponse) => void): void {
  const end = () => resolve(createFailure(id, { code: INTERNAL_ERROR, message: 'Internal error' }));
  io.onClientClosed(end);
  io.onShutdown?.(end);
}

/** Wraps a transport, so that a function decides when a received message is delivered. */
function withReceiver(
  transport: Transport,
  receive: (value: unknown, deliver: () => void, context: MessageContext | undefined) => void,
): Transport {
  return wrapTransport(transport, {
    receive: receiver => ({
      onMessage: (value: unknown, context?: MessageContext) =>
        receive(value, () => receiver.onMessage(value, context), context),
    }),
  });
}
