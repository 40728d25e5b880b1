import type { Guard } from './instruments.js';
import type { GaugeCallback, OpenTelemetryCounter, OpenTelemetryGauge } from './opentelemetry-api.js';
import type { HostMeasurement, Telemetry } from './telemetry.js';

interface HostMeter {
  createCounter(name: string, options: { description: string }): OpenTelemetryCounter;
  createObservableGauge(name: string, options: { description: string }): OpenTelemetryGauge;
}

/** Time for which one measurement serves all gauges, in milliseconds. */
const MAX_AGE = 100;

/** Creates the instruments of hosts: gauges of their state, and counters of sign-ins and token refreshes. */
export function createHostInstruments(
  meter: HostMeter,
  guard: Guard,
): Pick<Telemetry, 'countSignIn' | 'countTokenRefresh' | 'observeHost' | 'observeUnknownFormats'> {
  const signIns = meter.createCounter('tenon.sign_ins', { description: 'Sign-ins of callers at servers of a host' });
  const refreshes = meter.createCounter('tenon.token_refreshes', { description: 'Access tokens that a host renewed' });
  const createGauge = (name: string, description: string) => meter.createObservableGauge(name, { description });
  const connections = createGauge('tenon.upstream.connections', 'Connections of a host to a server, by state');
  const calls = createGauge('tenon.upstream.calls', 'Running calls of a host at a server');
  const approvals = createGauge('tenon.approvals.pending', 'Calls that wait for an approval');
  const waiting = createGauge('tenon.starts.waiting', 'Servers whose start waits for a free process');
  const formats = createGauge('tenon.store.unknown_formats', 'Formats of stored records that this release cannot read');
  return {
    observeUnknownFormats(list) {
      const observe: GaugeCallback = result => {
        for (const { kind, format } of list())
          result.observe(1, { 'tenon.store.kind': kind, 'tenon.store.format': format });
      };
      formats.addCallback(observe);
      return () => formats.removeCallback(observe);
    },
    countSignIn: guard((upstream, outcome) =>
      signIns.add(1, { 'tenon.upstream': upstream, 'tenon.sign_in.outcome': outcome }),
    ),
    countTokenRefresh: guard((upstream, outcome) =>
      refreshes.add(1, { 'tenon.upstream': upstream, 'tenon.token_refresh.outcome': outcome }),
    ),
    observeHost(measure) {
      let last: { readonly at: number; readonly measured: Promise<HostMeasurement> } | undefined;
      // Measures once for all gauges that are read together.
      const read = () => {
        const now = performance.now();
        if (last === undefined || now - last.at > MAX_AGE) last = { at: now, measured: measure() };
        return last.measured;
      };
      const observed: [OpenTelemetryGauge, GaugeCallback][] = [
        [
          connections,
          async result => {
            for (const { name, states } of (await read()).upstreams)
              for (const [state, count] of Object.entries(states))
                result.observe(count, { 'tenon.upstream': name, 'tenon.upstream.state': state });
          },
        ],
        [
          calls,
          async result => {
            const { upstreams } = await read();
            for (const upstream of upstreams) result.observe(upstream.calls, { 'tenon.upstream': upstream.name });
          },
        ],
        [approvals, async result => result.observe((await read()).pendingApprovals)],
        [waiting, async result => result.observe((await read()).waitingStarts)],
      ];
      for (const [gauge, callback] of observed) gauge.addCallback(callback);
      return () => {
        for (const [gauge, callback] of observed) gauge.removeCallback(callback);
      };
    },
  };
}
