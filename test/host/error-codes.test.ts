import * as api from '@opentelemetry/api';
import { createAudit, createHost, type HostOptions } from '@tenon/host';
import { type Client, connect } from 'tenon';
import { createTelemetry } from 'tenon/telemetry';
import { describe, expect, it } from 'vitest';
import { retryUntilPasses } from '../interop/retry.js';
import { useSdk } from '../telemetry/setup.js';
import { createFaultyServer } from './faulty-server.js';

const { takeSpans, use } = useSdk();

/** Opens a gateway to one server, and reads the code of a failed call from each place that has one. */
async function open(server: HostOptions['servers'][string]) {
  const lines: string[] = [];
  const audit = await createAudit({ append: async line => void lines.push(line) });
  const telemetry = createTelemetry({ api });
  const host = use(await createHost({ servers: { far: server }, audit, telemetry, onError: () => {} }));
  const client: Client = use(await connect(host.toServer(), { validate: 'off', cacheSize: 0 }));
  const fail = async (tool: string) => {
    lines.splice(0);
    takeSpans();
    const error = await client.call('tools/call', { name: `far__${tool}`, arguments: {} }).then(
      () => undefined,
      reason => reason,
    );
    const isFailure = ({ action }: { action?: string }) => action === 'failed' || action === 'refused';
    const readEvents = () => lines.map(line => JSON.parse(line) as Record<string, string>).filter(isFailure);
    await retryUntilPasses(() => expect(readEvents()).toHaveLength(1));
    const spans = takeSpans().filter(({ name }) => name.includes('tools/call'));
    const readTypes = (side: api.SpanKind) =>
      spans.filter(({ kind }) => kind === side).map(({ attributes }) => attributes['error.type']);
    return {
      error,
      code: error?.data?.code ?? error?.data?.unavailable?.[0].code,
      metrics: readTypes(api.SpanKind.SERVER),
      sent: readTypes(api.SpanKind.CLIENT),
      audit: readEvents(),
    };
  };
  return { client, fail };
}

describe('a failed call of a gateway', () => {
  it('has one code in metrics, audit log and error when the server exits during the call', async () => {
    const { client, fail } = await open(createFaultyServer({ version: '2025-11-25' }).server);
    await client.callTool('far__echo');
    const { error, code, metrics, sent, audit } = await fail('dies');
    expect(error).toMatchObject({ code: 'call/outcome-unknown', data: { outcome: 'unknown' } });
    expect(code).toBe('call/outcome-unknown');
    expect(metrics).toEqual([code]);
    expect(new Set(sent)).toEqual(new Set([code]));
    expect(audit).toMatchObject([{ outcome: code, reason: expect.stringContaining('outcome unknown') }]);
  });

  it.each([
    ['that exits at its start', createFaultyServer({ version: '2025-11-25', start: 'exit' }).server, 'stdio/exited'],
    ['that cannot be reached', { url: 'http://127.0.0.1:9/mcp' }, 'http/unreachable'],
  ])('has one code in metrics, audit log and error for a server %s', async (_, server, code) => {
    const { fail } = await open(server);
    const failed = await fail('echo');
    // The attempt before the call may have failed just now.
    expect([code, 'host/backoff']).toContain(failed.code);
    expect(failed.metrics).toEqual([failed.code]);
    expect(failed.audit).toMatchObject([{ outcome: failed.code }]);
  });

  it('has the number of the JSON-RPC error of the server as its code', async () => {
    const { fail } = await open(createFaultyServer({ version: '2025-11-25', tools: ['nothing-known'] }).server);
    const { error, metrics, audit } = await fail('unlisted');
    expect(error).toMatchObject({ rpcCode: -32602 });
    expect(metrics).toEqual(['-32602']);
    expect(audit).toMatchObject([{ outcome: '-32602' }]);
  });
});
