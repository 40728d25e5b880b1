import { toJsonObject, withDetails } from '@tenon/base';
import { listMalformedMembers } from '@tenon/host';
import type { TenonError } from 'tenon';
import { describeError, getHint } from '../../error-hints.js';
import { formatCount } from '../../screen.js';
import type { ServerListName } from '../../tools/read-server-lists.js';
import type { Check, Connection } from '../check.js';
import { shorten } from './names.js';

/** Reports the connection itself: its transport, or the reason why there is none. */
export const connectionCheck: Check = {
  id: 'connection',
  title: 'Connection',
  run({ connection, error, transport, undeclared }, { ok, problem, warning }) {
    if (error) {
      const { code, rpcCode, data } = error;
      return [
        problem('failed', 'the doctor cannot connect', {
          seen: `${rpcCode === undefined ? code : `${code} ${rpcCode}`}: ${withDetails(error, { hint: undefined, peer: undefined }).message}`,
          fix: getFix(error),
          rpcCode,
          data,
        }),
      ];
    }
    if (!connection) return [];
    const { client, failures, logLevelError, reported } = connection;
    const name = { http: 'Streamable HTTP', 'http-sse': 'HTTP+SSE', stdio: 'stdio', memory: 'memory' }[
      transport ?? 'http'
    ];
    const findings = [ok('open', `connected over ${name}`, { seen: `protocol ${client.server.protocolVersion}` })];
    const failedMethods = [
      ...failures.map(({ list, error: listError }) => [METHODS[list], listError] as const),
      ...(logLevelError ? [[METHODS.logLevel, logLevelError] as const] : []),
    ];
    for (const [{ id, method, capability, severity }, methodError] of failedMethods) {
      const report = severity === 'problem' ? problem : warning;
      findings.push(
        report(id, `\`${method}\` fails`, {
          seen: describeError(methodError),
          cause: `the server declares the capability \`${capability}\``,
          fix: `answer \`${method}\`, or do not declare the capability`,
          rpcCode: methodError.rpcCode,
          data: methodError.data,
        }),
      );
    }
    // Lines that are not JSON are findings of the standard streams.
    const dropped = reported.filter(({ code }) => code !== 'stdio/not-json' && code !== 'peer/deviation');
    if (dropped.length > 0)
      findings.push(
        warning('dropped', `the client reports ${formatCount(dropped.length, 'error')} in the list of tools`, {
          seen: dropped
            .map(error => describeError(error))
            .slice(0, 3)
            .join(' | '),
          cause: 'clients leave these entries out, or reject the whole list',
          fix: 'correct the definitions of these tools',
        }),
      );
    const deviations = reported.filter(({ code }) => code === 'peer/deviation');
    if (deviations.length > 0)
      findings.push(
        warning('deviation', `the server deviates from the protocol in ${formatCount(deviations.length, 'way')}`, {
          seen: deviations.map(({ method, summary }) => `${method}: ${summary}`).join(' | '),
          cause: 'strict clients refuse these messages',
          fix: 'send what the specification requires, and leave out members without a value',
        }),
      );
    const malformed = listMalformed(connection);
    if (malformed.length > 0)
      findings.push(
        problem('malformed', `official clients refuse ${formatCount(malformed.length, 'member')} of the server`, {
          seen: shorten(malformed),
          cause:
            'one such member makes clients with the official SDK for TypeScript refuse the connection or the whole list',
          fix: 'write these members in the form of the specification, or leave them out',
        }),
      );
    for (const { capability, entries } of undeclared)
      findings.push(
        problem(`undeclared-${capability}`, `the server has ${capability} that no client can use`, {
          seen: `${entries.length}: ${entries.slice(0, 5).join(', ')}`,
          cause: `it does not declare the capability \`${capability}\``,
          fix: `declare \`${capability}\` in the capabilities; until then, use it with \`--assume ${capability}\`, or with \`"assumeCapabilities": ["${capability}"]\` in the configuration of the server`,
        }),
      );
    return findings;
  },
};

/** Lists the members of the server and its definitions that break the specification. Schemas have a check of their own. */
function listMalformed({ client: { server }, tools, prompts, resources }: Connection): string[] {
  const { capabilities, info: serverInfo, instructions } = server;
  const opening = listMalformedMembers('initialize', toJsonObject({ capabilities, serverInfo, instructions }));
  const inEntries = Object.entries({ tools, prompts, resources }).flatMap(([list, entries]) =>
    entries.flatMap(entry =>
      listMalformedMembers(`${list}/list`, { [list]: [entry] })
        .map(path => path.replace(`${list}.0.`, ''))
        .filter(path => !/^(?:in|out)putSchema\b/.test(path))
        .map(path => `${entry.name}: ${path}`),
    ),
  );
  return [...opening, ...inEntries];
}

/** Findings of methods that fail. A server without its tools is of no use to most hosts. */
const METHODS = {
  tools: { id: 'list', method: 'tools/list', capability: 'tools', severity: 'problem' },
  resources: { id: 'list-resources', method: 'resources/list', capability: 'resources', severity: 'warning' },
  resourceTemplates: {
    id: 'list-templates',
    method: 'resources/templates/list',
    capability: 'resources',
    severity: 'warning',
  },
  prompts: { id: 'list-prompts', method: 'prompts/list', capability: 'prompts', severity: 'warning' },
  logLevel: { id: 'log-level', method: 'logging/setLevel', capability: 'logging', severity: 'warning' },
} as const satisfies Record<ServerListName | 'logLevel', object>;

/** Checks that explain an error better than its hint. */
const EXPLAINING_CHECKS: Readonly<Record<string, string>> = { 'http/no-endpoint': 'path', 'call/timeout': 'stdio' };

function getFix(error: TenonError): string {
  const check = EXPLAINING_CHECKS[error.code];
  const hasFinding = check === 'path' || (check === 'stdio' && error.received !== undefined);
  return hasFinding ? `see the findings of the check \`${check}\`` : (getHint(error) ?? 'see the logs of the server');
}
