import type { Host, ServerState } from '@tenon/host';
import type { HealthOptions } from 'tenon/http';
import type { ReportedServer } from './report-servers.js';

/** Conditions under which `/readyz` of a gateway responds with 200. */
export const READY_CONDITIONS = ['started', 'any', 'all'] as const;

export type ReadyCondition = (typeof READY_CONDITIONS)[number];

/** States in which a server can take calls. `waiting`: each caller signs in first. */
const AVAILABLE: readonly ServerState['state'][] = ['connected', 'waiting'];

/**
 * Creates the health options of a gateway. The response of `/readyz` counts the servers in each state, and a probe
 * verifies the connected ones. With the condition `any` or `all`, it also connects to unavailable servers again, because
 * no caller can do it then.
 *
 * @param getSkipped Returns the configured servers that do not run.
 */
export function createGatewayHealth(
  host: Pick<Host, 'getServers' | 'connectServer'>,
  condition: ReadyCondition,
  getSkipped: () => readonly ReportedServer[],
): HealthOptions {
  const tried = new Set<string>();
  /** Servers that have been connected. A connection does not show that its server still responds. */
  const reached = new Set<string>();
  const connect = (name: string): void => {
    void host.connectServer(name).then(
      () => tried.add(name),
      () => {},
    );
  };
  const getDetails = () => {
    const servers = host.getServers();
    for (const { name, state } of servers) {
      if (state === 'connected') reached.add(name);
      if (state === 'connected' || (state === 'failed' && reached.has(name))) connect(name);
    }
    return { servers: countStates([...servers, ...getSkipped()]) };
  };
  if (condition === 'started') return { getDetails };
  const isAvailable = ({ name, state }: ServerState): boolean => {
    // An idle process starts with the next call. Before the first attempt, it is unknown if it can.
    if (AVAILABLE.includes(state) || (state === 'idle' && tried.has(name))) return true;
    if (state !== 'connecting') connect(name);
    return false;
  };
  const check = () => {
    const available = host.getServers().map(isAvailable);
    if (condition === 'any') return available.includes(true);
    return !available.includes(false) && getSkipped().length === 0;
  };
  return { getDetails, checks: { servers: check } };
}

function countStates(servers: readonly Pick<ReportedServer, 'state'>[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of servers) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
