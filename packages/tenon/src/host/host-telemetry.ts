import type { HostMeasurement, Telemetry } from '../telemetry/telemetry.js';
import type { UpstreamServer } from './connections/upstream-server.js';
import type { Approvals } from './security/approvals/types.js';

/** Traces the requests to one server of a host, and those from it, under its name in the host. */
export function createUpstreamTelemetry(telemetry: Telemetry, upstream: string): Telemetry {
  return {
    ...telemetry,
    createPeer: (transport, handler, clock, describe) =>
      telemetry.createPeer(transport, handler, clock, context => {
        const { protocolVersion, sessionId, network } = describe(context);
        return { protocolVersion, sessionId, network, upstream };
      }),
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

/** Measures the servers and the approvals of a host. */
export async function collectMeasurement(
  upstreams: Iterable<UpstreamServer>,
  approvals: Pick<Approvals, 'listPending'>,
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
  return { upstreams: measured, pendingApprovals: (await approvals.listPending()).length };
}
