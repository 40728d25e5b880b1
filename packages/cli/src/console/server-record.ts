import type { ServerView } from '@tenon/console/api';
import { type Client, TenonError, type Tool } from 'tenon';
import { formatCommandLabel, type ResolvedTarget } from '../target/resolve-target.js';
import type { TargetOptions } from '../target/target-options.js';
import type { TargetReference } from '../target/target-reference.js';
import type { ServerListing } from '../tools/read-listing.js';
import type { CallConnection } from './console-calls.js';
import { findQuantiles } from './quantiles.js';
import type { RefreshQueue } from './refresh-queue.js';
import { ServerSnapshots } from './server-snapshots.js';

/** Number of the last durations from which the median is computed. */
const MAX_DURATIONS = 200;
/** Number of durations that the page draws. */
const SHOWN_DURATIONS = 24;

/** Options of one server. */
interface AddedOptions {
  readonly config?: string[] | undefined;
  readonly header?: Record<string, string> | undefined;
  readonly env?: Record<string, string> | undefined;
}

/** A server to connect to: as the user named it, or as another command runs it. */
export type ConsoleTarget =
  | {
      readonly reference: TargetReference;
      /** True if the user must allow it in the page. */
      readonly asks: boolean;
      /** Options of this server, in addition to those of the command. */
      readonly connection?: AddedOptions;
    }
  | { readonly resolved: ResolvedTarget };

/** A server of a console, with its connection. */
export interface ServerRecord {
  view: ServerView;
  readonly target: ConsoleTarget;
  resolved: ResolvedTarget | undefined;
  client: Client | undefined;
  connection: number;
  listing: ServerListing | undefined;
  /** Definitions that the server has had, also in earlier connections. */
  readonly snapshots: ServerSnapshots;
  abort: AbortController;
  /** Reads the lists again after changes. */
  refresh: RefreshQueue | undefined;
  /** Further connections, which speak other versions. */
  readonly others: Set<Client>;
  readonly durations: number[];
}

/** Creates the record of a server that is not connected. */
export const createServerRecord = (
  name: string,
  target: ConsoleTarget,
  label: string,
  requestedVersion: string | null,
): ServerRecord => ({
  view: createView(name, label, requestedVersion),
  target,
  resolved: undefined,
  client: undefined,
  connection: 0,
  listing: undefined,
  snapshots: new ServerSnapshots(name),
  abort: new AbortController(),
  refresh: undefined,
  others: new Set(),
  durations: [],
});

/** Adds the duration of a call to a record. Returns the figures of its view. */
export function countDuration({ durations, view }: ServerRecord, took: number, isFailed: boolean): Partial<ServerView> {
  durations.push(took);
  if (durations.length > MAX_DURATIONS) durations.shift();
  return {
    calls: view.calls + 1,
    errors: view.errors + (isFailed ? 1 : 0),
    ...findQuantiles(durations),
    durations: durations.slice(-SHOWN_DURATIONS),
  };
}

/** Returns the definition of a tool, if the server has listed it. */
export const findListedTool = ({ listing }: ServerRecord, tool: string): Tool | undefined =>
  listing?.tools.find(each => each.name === tool);

export const findOutputSchema =
  (record: ServerRecord): CallConnection['findOutputSchema'] =>
  tool =>
    findListedTool(record, tool)?.outputSchema;

/** Adds the options of one server to those of the command. */
export function mergeOptions(options: TargetOptions, target: ConsoleTarget): TargetOptions {
  const { config, header, env } = ('connection' in target ? target.connection : undefined) ?? {};
  return {
    ...options,
    ...(config ? { config } : {}),
    ...(header ? { header: { ...options.header, ...header } } : {}),
    ...(env ? { env: { ...options.env, ...env } } : {}),
  };
}

export function requireClient({ client, view }: ServerRecord): Client {
  if (client) return client;
  throw createNotConnectedError(view.name);
}

export const createNotConnectedError = (name: string): TenonError =>
  new TenonError('console/not-connected', `server ${JSON.stringify(name)}: not connected`, {
    hint: 'connect it again',
  });

export function getTransport({ target }: ResolvedTarget): ServerView['transport'] {
  if ('url' in target) return 'http';
  return 'command' in target ? 'stdio' : 'memory';
}

/** Returns the display name of a target before it is resolved. */
export function describeTarget(target: ConsoleTarget): ResolvedTarget {
  if ('resolved' in target) return target.resolved;
  const { reference } = target;
  switch (reference.kind) {
    case 'url':
      return { target: { url: reference.url }, label: reference.url };
    case 'command':
      return { target: reference, label: formatCommandLabel(reference) };
    case 'name':
    case 'registry':
      return { target: { url: '' }, label: reference.name };
    default:
      return { target: { url: '' }, label: reference.path };
  }
}

const createView = (name: string, label: string, requestedVersion: string | null): ServerView => ({
  name,
  label,
  transport: null,
  state: 'waiting',
  protocolVersion: null,
  requestedVersion,
  info: null,
  capabilities: [],
  extensions: [],
  counts: null,
  toolNames: [],
  tokens: 0,
  calls: 0,
  errors: 0,
  median: null,
  p95: null,
  p99: null,
  durations: [],
  listing: 0,
  error: null,
  finding: null,
});
