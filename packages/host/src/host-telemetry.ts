import type { HostMeasurement, Telemetry } from 'tenon/telemetry';
import type { ProcessLimit } from './connections/process-limit.js';
import type { UpstreamServer } from './connections/upstream-server.js';
import type { Approvals } from './security/approvals/types.js';

/**
 * Traces the connections of a host, whose messages may contain the trace context of another sender. `upstream` is the
 * name of the server in the host. It is absent for connections of callers.
 */
export function createForwardingTelemetry(telemetry: Telemetry, upstream?: string): Telemetry {
  return {
    ...telemetry,
    createPeer(transport, handler, clock, describe, tracer) {
      const describeForwarding: typeof describe = context => {
        const { protocolVersion, servedDialects, sessionId, network } = describe(context);
        return { protocolVersion, servedDialects, sessionId, network, upstream, forwards: true };
      };
      return telemetry.createPeer(transport, handler, clock, describeForwarding, tracer);
    },
  };
}

/** Does not trace requests of callers while `isPaused` returns true, because the host itself sends them. */
export function pauseIncoming(telemetry: Telemetry, isPaused: () => boolean): Telemetry {
  const paused: Telemetry = {
    ...telemetry,
    createPeer: (transport, handler, clock, describe) =>
      telemetry.createPeer(transport, handler, clock, describe, paused),
    traceIncoming: (request, serve) => (isPaused() ? serve() : telemetry.traceIncoming(request, serve)),
  };
  return paused;
}

/** Measures the servers, the approvals and the waiting starts of a host. */
export async function collectMeasurement(
  upstreams: Iterable<UpstreamServer>,
  approvals: Pick<Approvals, 'listPending'>,
  { waitingCount }: Pick<ProcessLimit, 'waitingCount'>,
): Promise<HostMeasurement> {
  const measured = [...upstreams].map(({ name, connections }) => {
    const states: Record<string, number> = {};
    let calls = 0;
    for (const connection of connections) {
      states[connection.state] = (states[connection.state] ?? 0) + 1;
      calls += connection.calls.size;
    }
    return { name, states, calls };
  });
  return { upstreams: measured, pendingApprovals: (await approvals.listPending()).length, waitingStarts: waitingCount };
}
