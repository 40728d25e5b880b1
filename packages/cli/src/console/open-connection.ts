import { appsExtension } from '@tenon/apps/host';
import type { FaultPlan } from '@tenon/console/api';
import { skillsExtension } from '@tenon/skills/client';
import { withFaults } from '@tenon/testing';
import { type Client, type JsonRpcMessage, TenonError } from 'tenon';
import type { CliContext } from '../cli-context.js';
import { type ResolvedTarget, resolveTarget } from '../target/resolve-target.js';
import { connectToTarget } from '../target/run-with-client.js';
import type { TargetOptions } from '../target/target-options.js';
import type { ChangeFeed } from './change-feed.js';
import { ConnectionFaults, isMessage, type SentFault } from './connection-faults.js';
import type { ConsoleCalls } from './console-calls.js';
import { runAsConsole } from './gateway/served-request.js';
import type { HttpLog } from './http-log.js';
import { createInputHandlers } from './input-handlers.js';
import { INPUT_TIMEOUT, type InputInbox } from './input-inbox.js';
import { getRunningCall, MessageOwner } from './message-owner.js';
import { createPageTerminal } from './page-terminal.js';
import { mergeOptions, type ServerRecord } from './server-record.js';
import type { WireLog } from './wire-log.js';

/** Parts that all servers share. */
export interface ServerParts {
  readonly context: CliContext;
  readonly options: TargetOptions;
  readonly log: WireLog;
  readonly http: HttpLog;
  readonly feed: ChangeFeed;
  readonly inbox: InputInbox;
  readonly calls: ConsoleCalls;
}

/** A connection with its number in the log. */
export interface ServerConnection {
  readonly client: Client;
  readonly connection: number;
}

/** Resolves the target of a server. Asks the user before it starts a program that the page has named. */
export async function resolveRecord(
  { context, options, inbox }: ServerParts,
  { view, target }: ServerRecord,
): Promise<ResolvedTarget> {
  if ('resolved' in target) return target.resolved;
  const { reference, asks } = target;
  const terminal = createPageTerminal(inbox, view.name);
  if (asks && (reference.kind === 'command' || reference.kind === 'file')) {
    const details = `The command will start this program, in ${context.cwd}:\n  ${view.label}`;
    if (!(await terminal.confirm({ message: 'Run it?', details })))
      throw new TenonError('config/not-approved', `the server "${view.name}" is not approved`, {
        hint: 'connect again, and allow it',
      });
  }
  return resolveTarget({ ...context, terminal }, reference, mergeOptions(options, target));
}

interface ConnectionTarget {
  readonly name: string;
  readonly connection: number;
  readonly resolved: ResolvedTarget;
  /** The only protocol version to use. `null`: the newest of both sides. */
  readonly chosen: string | null;
  /** Returns the faults that the user has planned. */
  getFaultPlan(): FaultPlan | null;
  /** Called when they have applied to a message. */
  onFaultUsed(): void;
}

/** Connects to a server, and logs each message of the connection. */
export async function openConnection(
  { options, log, http, calls, inbox }: ServerParts,
  { name, connection, resolved, chosen, getFaultPlan, onFaultUsed }: ConnectionTarget,
): Promise<ServerConnection> {
  const owner = new MessageOwner(log, connection, () => calls.listRunning(connection));
  const faults = new ConnectionFaults(getFaultPlan, onFaultUsed);
  const add = (
    from: 'client' | 'server',
    message: JsonRpcMessage,
    call: number | undefined,
    fault: SentFault | undefined,
    relatedTo?: string | number,
  ): void => {
    const row = log.add({ server: name, connection, from, message, call, relatedTo, ...fault });
    if (from === 'client') http.follow(row.seq);
    if (row.call !== undefined) calls.countMessage(row.call, row.from === 'client' && row.kind === 'request');
  };
  const { protocolVersion: _, ...rest } = options;
  const client = await runAsConsole(connection, () =>
    connectToTarget(resolved, chosen === null ? rest : { ...rest, protocolVersion: chosen }, {
      name: 'tenon-console',
      validate: 'off',
      extensions: [appsExtension, skillsExtension],
      answerTimeout: INPUT_TIMEOUT,
      ...createInputHandlers(inbox, name, method => owner.takeRequest(method)),
      onMessage: (from, message, relatedTo) => {
        const messages: readonly JsonRpcMessage[] = 'length' in message ? message : [message];
        for (const each of messages) {
          const call = owner.find(from, each, relatedTo);
          if (from === 'client') add(from, each, call, faults.getSent(each), relatedTo);
          else {
            const id = 'id' in each ? each.id : undefined;
            const isOpening = log.opensConnection(connection, id);
            const owningCall = call ?? log.findCall(connection, id);
            const fault = isOpening ? undefined : faults.chooseReceived(each, owningCall, relatedTo);
            add(from, each, call, fault && { fault }, relatedTo);
          }
        }
      },
      wrapTransport: transport =>
        withFaults(transport, {
          send: message => faults.chooseSent(message, getRunningCall()),
          receive: message => faults.getReceived(message),
          onFault(injected) {
            // A lost message is on no wire, so that nothing else reports it.
            if (injected.direction === 'send' && faults.noteSent(injected) && isMessage(injected.message))
              add('client', injected.message, getRunningCall(), { fault: injected.fault });
          },
        }),
    }),
  );
  return { client, connection };
}
