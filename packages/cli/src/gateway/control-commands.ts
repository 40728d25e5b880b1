import type { ConfiguredServerState } from '@tenon/console/api';
import { sanitizeText } from '@tenon/host';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { exitCodes } from '../exit-codes.js';
import { createCommand } from '../options/create-command.js';
import { parseCount } from '../options/option-parsers.js';
import { createUsageError } from '../usage-error.js';
import { SERVER_CHANGES, type ServerChange } from './control-socket.js';
import { changeServer, createNoGatewayError, findGateways, type RunningGateway } from './find-gateways.js';
import { formatServerStates, type GatewayStatus } from './gateway-status.js';

interface ControlOptions {
  readonly pid?: number;
  readonly json?: boolean;
}

const SUMMARIES: Readonly<Record<ServerChange, string>> = {
  enable: 'enable a server that `disable` has disabled',
  disable: 'withdraw a server and end its processes, until `enable` or the end of the gateway',
  restart: 'end the processes and connections of a server, and start it again',
  reconnect: 'connect to a server now, without the delay after failures',
};

/** Creates the subcommands that describe a running gateway and change its servers. */
export function createControlCommands(context: CliContext): Command[] {
  const create = (name: string, summary: string) =>
    createCommand(name, summary)
      .option('--pid <number>', 'process of the gateway, if several are running', parseCount)
      .option('--json', 'print JSON');
  const status = create('status', 'list the servers of the running gateways: state, version, tools, last error').action(
    async (_: ControlOptions, command: Command) => {
      const { pid, json } = getOptions(command);
      const gateways = await selectGateways(context, pid);
      const statuses = gateways.map(gateway => gateway.status);
      if (json) for (const each of statuses) context.screen.printJson(each);
      else context.screen.print(statuses.map(formatGateway).join('\n\n'));
      context.code = exitCodes.success;
    },
  );
  const changes = SERVER_CHANGES.map(change =>
    create(change, SUMMARIES[change])
      .argument('<server>', 'name of the server in the configuration')
      .action(async (name: string, _: ControlOptions, command: Command) => {
        const { pid, json } = getOptions(command);
        const gateway = selectGateway(await selectGateways(context, pid), name);
        const server = await changeServer(gateway, name, change);
        if (json) context.screen.printJson(server);
        else context.screen.print(formatServerStates([server], sanitize));
        context.code = hasSucceeded(change, server) ? exitCodes.success : exitCodes.failure;
      }),
  );
  return [status, ...changes];
}

/** Returns the options of a subcommand. The parser gives those that `tenon gateway` has, too, to that command. */
const getOptions = (command: Command): ControlOptions => command.optsWithGlobals<ControlOptions>();

/** Tells if a server is in the state that a change leads to. Callers of a waiting server sign in themselves. */
const hasSucceeded = (change: ServerChange, { state }: ConfiguredServerState): boolean =>
  change === 'disable' ? state === 'disabled' : state === 'connected' || state === 'waiting';

async function selectGateways(context: CliContext, pid: number | undefined): Promise<RunningGateway[]> {
  const all = await findGateways(context);
  const found = pid === undefined ? all : all.filter(({ record }) => record.pid === pid);
  if (found.length > 0) return found;
  throw createNoGatewayError(all.length > 0 ? pid : undefined);
}

/** Selects the gateway with a server. */
function selectGateway(gateways: readonly RunningGateway[], name: string): RunningGateway {
  const [found, ...others] = gateways.filter(({ status }) => status.servers.some(server => server.name === name));
  if (others.length > 0)
    throw createUsageError(
      `${others.length + 1} gateways have the server "${name}"`,
      `pass --pid with one of: ${[found, ...others].map(gateway => gateway?.record.pid).join(', ')}`,
    );
  if (found) return found;
  const names = gateways.flatMap(({ status }) => status.servers.map(server => server.name));
  throw createUsageError(`server "${name}" not found in the running gateway`, `use one of: ${names.join(', ')}`);
}

function formatGateway({ pid, version, files, endpoints, stdio, servers }: GatewayStatus): string {
  const places = [...endpoints.map(({ url }) => url), ...(stdio ? ['stdio'] : [])].join(', ');
  const title = `Gateway to the servers of ${files.join(', ')}: process ${pid}, version ${version}, ${places}`;
  return [sanitize(title), ...(servers.length > 0 ? ['', formatServerStates(servers, sanitize)] : [])].join('\n');
}

const sanitize = (text: string): string => sanitizeText(text, { max: 1000 });
