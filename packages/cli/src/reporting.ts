import type { TenonError } from 'tenon';
import {
  describeDrift,
  type GuardOptions,
  type Host,
  type HostOptions,
  type ServerState,
  type Sighted,
  safeName,
  safeText,
} from 'tenon/host';
import { describeError } from './hints.js';
import { columns, type Screen } from './screen.js';

/** The longest reason, in characters. */
const MAX_REASON = 300;
/** How many findings are told of once and then never again. */
const MOST_TOLD = 2000;

/** What a host tells of while it runs, for whoever sits at it. */
export function noticesOn(
  screen: Screen,
): Pick<HostOptions, 'onProblem'> & Pick<GuardOptions, 'onDrift' | 'onFindings'> {
  const told = new Set<string>();
  const once = (text: string) => {
    if (told.has(text) || told.size >= MOST_TOLD) return;
    told.add(text);
    screen.note(text);
  };
  return {
    onProblem: (error: TenonError) => screen.note(`${error.code}: ${safeText(describeError(error), { lines: true })}`),
    onDrift: (_, drifts) => once(`\nNot as it stands in the lock:\n\n${describeDrift(drifts)}\n`),
    onFindings: ({ server, kind, name, findings }: Sighted) => {
      const kinds = [...new Set(findings.map(each => each.kind))].join(', ');
      once(
        `${safeName(server)}: the ${kind} ${safeName(name)} has ${kinds}: ${safeText(findings[0]?.excerpt ?? '', { max: 120 })}`,
      );
    },
  };
}

/** Tries each server, and tells how they stand. Those who have not answered in time are told of as they are then. */
export async function standing(host: Host): Promise<ServerState[]> {
  try {
    for await (const _ of host.client.listTools()) break;
  } catch {
    // When none is there, how each stands says so.
  }
  return host.servers();
}

/** A reason in one line: servers that crash give their last lines of output as the reason. */
export const shortReason = (reason: string): string => safeText(reason, { max: MAX_REASON });

/** `notes   connected   2026-07-28`. */
export function statesTable(states: readonly ServerState[]): string {
  return columns(
    states.map(({ name, state, revision, why }) => {
      const facts = [revision, why === undefined ? undefined : shortReason(why)].filter(each => each !== undefined);
      return [safeName(name), state, facts.join(' ')];
    }),
  );
}
