import type { GatewayFigures } from '@tenon/console/api';
import type { Telemetry } from 'tenon/telemetry';
import { findQuantiles } from '../quantiles.js';

/** Number of the last durations of a server from which its median is computed. */
const MAX_DURATIONS = 1000;
/** Maximum number of tools whose calls are counted, so that a server that renames its tools does not fill the memory. */
const MAX_TOOLS = 10_000;
/** Requests that a caller waits for. Lists and handshakes are requests of the gateway itself. */
const CALL_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

interface CountedCalls {
  calls: number;
  errors: number;
  readonly durations: number[];
}

/** Counts the calls of all callers to each server of a gateway. */
export class CallFigures {
  readonly #servers = new Map<string, CountedCalls>();
  /** Figures of tools by their servers, and by their names there. */
  readonly #tools = new Map<string, Map<string, CountedCalls>>();
  #toolCount = 0;
  readonly #now: () => number;

  /** @param now Returns a time in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the figures of a server. */
  read(server: string): GatewayFigures {
    return toFigures(this.#servers.get(server));
  }

  /** Returns the figures of each called tool of a server, by its name there. */
  readTools(server: string): ReadonlyMap<string, GatewayFigures> {
    return new Map([...(this.#tools.get(server) ?? [])].map(([tool, counted]) => [tool, toFigures(counted)]));
  }

  /** Adds the count to a telemetry. Each round of a call is counted, because each is a request to the server. */
  observe(telemetry: Telemetry): Telemetry {
    const observed: Telemetry = {
      ...telemetry,
      createPeer: (transport, handler, clock, describe, tracer = observed) =>
        telemetry.createPeer(transport, handler, clock, describe, tracer),
      traceOutgoing: (request, send) => {
        const { upstream, method } = request;
        if (upstream === undefined || !CALL_METHODS.has(method)) return telemetry.traceOutgoing(request, send);
        let tool: unknown;
        const sent = telemetry.traceOutgoing(request, trace =>
          send({
            ...trace,
            // The params are known when the request is sent.
            setRequest(id, params) {
              if (method === 'tools/call') tool = params?.name;
              trace.setRequest(id, params);
            },
          }),
        );
        return this.#measure(upstream, () => tool, sent);
      },
    };
    return observed;
  }

  async #measure<R extends { readonly isError?: unknown }>(
    server: string,
    getTool: () => unknown,
    sent: Promise<R>,
  ): Promise<R> {
    const started = this.#now();
    let isFailed = true;
    try {
      const result = await sent;
      isFailed = result.isError === true;
      return result;
    } finally {
      const took = this.#now() - started;
      const tool = getTool();
      count(this.#servers, server, took, isFailed);
      if (typeof tool === 'string') this.#countTool(server, tool, took, isFailed);
    }
  }

  #countTool(server: string, tool: string, took: number, isFailed: boolean): void {
    const tools = this.#tools.get(server) ?? new Map<string, CountedCalls>();
    if (!tools.has(tool)) {
      if (this.#toolCount === MAX_TOOLS) return;
      this.#toolCount += 1;
    }
    this.#tools.set(server, tools);
    count(tools, tool, took, isFailed);
  }
}

function count(all: Map<string, CountedCalls>, key: string, took: number, isFailed: boolean): void {
  const counted = all.get(key) ?? { calls: 0, errors: 0, durations: [] };
  all.set(key, counted);
  counted.calls += 1;
  if (isFailed) counted.errors += 1;
  counted.durations.push(took);
  if (counted.durations.length > MAX_DURATIONS) counted.durations.shift();
}

/** Returns the figures of counted calls, and those of no calls without an argument. */
export const toFigures = (
  { calls, errors, durations }: CountedCalls = { calls: 0, errors: 0, durations: [] },
): GatewayFigures => ({
  calls,
  errors,
  ...findQuantiles(durations),
});
