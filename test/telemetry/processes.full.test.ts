import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SpanKind } from '@opentelemetry/api';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildCommand, commandLine, projectWith } from '../cli/command.js';
import { bundle } from '../support/bundle.js';

interface WrittenSpan {
  readonly process: string;
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
}

let project: Awaited<ReturnType<typeof projectWith>>;
beforeAll(async () => {
  await buildCommand();
});
beforeEach(async () => {
  project = await projectWith({});
});
afterEach(() => project.remove());

const roles = ['caller', 'gateway', 'upstream'];
const program = () => bundle('test/telemetry/fixtures/traced-process.ts');

/** One of the processes, which starts the next one. */
const traced = (role: string, next: object = {}) => ({
  command: process.execPath,
  args: [program(), role, project.path(`${role}.ndjson`), JSON.stringify(next)],
});

/** Runs the caller before a gateway, and returns the spans that each process has written. */
async function run(gateway: object): Promise<WrittenSpan[]> {
  const { command, args } = traced('caller', gateway);
  await promisify(execFile)(command, args);
  const read = async (role: string) => {
    const text = await readFile(project.path(`${role}.ndjson`), 'utf8').catch(() => '');
    const lines = text.split('\n').filter(Boolean);
    return lines.map(line => ({ process: role, ...JSON.parse(line) }));
  };
  return (await Promise.all(roles.map(read))).flat();
}

/** Returns the spans from the root to one of a process. All have one trace. */
function traceOf(spans: readonly WrittenSpan[], role: string, kind: SpanKind, name: string): string[] {
  const path: WrittenSpan[] = [];
  let span = spans.find(each => each.process === role && each.kind === kind && each.name === name);
  while (span) {
    path.unshift(span);
    const { parent } = span;
    span = spans.find(({ spanId }) => spanId === parent);
  }
  expect(new Set(path.map(({ traceId }) => traceId)).size).toBe(1);
  expect(path[0]?.parent).toBeUndefined();
  return path.map(each => `${each.process} ${SpanKind[each.kind]} ${each.name}`);
}

describe('a call through three processes', () => {
  it('is one trace with a gateway that creates spans, in both directions [otel.gateway-forward]', async () => {
    const spans = await run(traced('gateway', traced('upstream', { protocolVersions: ['2025-11-25'] })));
    expect(traceOf(spans, 'upstream', SpanKind.SERVER, 'tools/call echo')).toEqual([
      'caller CLIENT tools/call echo',
      'gateway SERVER tools/call echo',
      'gateway CLIENT tools/call echo',
      'upstream SERVER tools/call echo',
    ]);
    expect(traceOf(spans, 'caller', SpanKind.SERVER, 'elicitation/create')).toEqual([
      'caller CLIENT tools/call asks',
      'gateway SERVER tools/call asks',
      'gateway CLIENT tools/call asks',
      'upstream SERVER tools/call asks',
      'upstream CLIENT elicitation/create',
      'gateway SERVER elicitation/create',
      'gateway CLIENT elicitation/create',
      'caller SERVER elicitation/create',
    ]);
  });

  it('is one trace with `tenon gateway`, which creates no spans [otel.gateway-forward]', async () => {
    await project.write('mcp.json', { mcpServers: { up: traced('upstream', { protocolVersions: ['2025-11-25'] }) } });
    const spans = await run(commandLine(project.folder, 'gateway', '--stdio', '--trust', '--metrics', '0'));
    expect(traceOf(spans, 'upstream', SpanKind.SERVER, 'tools/call echo')).toEqual([
      'caller CLIENT tools/call up__echo',
      'upstream SERVER tools/call echo',
    ]);
    expect(traceOf(spans, 'caller', SpanKind.SERVER, 'elicitation/create')).toEqual([
      'caller CLIENT tools/call up__asks',
      'upstream SERVER tools/call asks',
      'upstream CLIENT elicitation/create',
      'caller SERVER elicitation/create',
    ]);
  });
});
