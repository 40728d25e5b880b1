import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bundleProgram, type HttpPeer, startHttpPeer } from '../interop/process.js';
import { isLong } from '../support/extent.js';

/** Kills, and the programs that run at each: 500 in all in the long form. */
const KILLS = isLong ? 100 : 5;
const PROGRAMS = isLong ? 5 : 20;

const PROGRAM = `
  const outcomes = [];
  const pay = async text => {
    try { await tools.bank__pay({ text }); outcomes.push(text + ' done') } catch (error) { outcomes.push(text + ' ' + error.code) }
  };
  await pay('a');
  await Promise.all(['b', 'c'].map(pay));
  await pay('d');
  return outcomes.sort();`;

const effects: string[] = [];
let onEffect: () => void = () => {};
const input = z.object({ text: z.string() });
const record = ({ text }: { text: string }) => {
  effects.push(text);
  onEffect();
};
const bank = createServer({
  name: 'bank',
  version: '1.0.0',
  onError: () => {},
  tools: { pay: tool({ input, run: record }), transfer: tool({ input, run: record }) },
});

let http: Awaited<ReturnType<typeof serveHttp>>;
let folder: string;
let gateway: HttpPeer | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tenon-programs-'));
  http = await serveHttp(bank, { port: 0 });
});
afterAll(async () => {
  await gateway?.stop();
  await http.close({ timeout: 0 });
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Starts the gateway, at the address of the one before. */
async function startGateway(store: string): Promise<string> {
  const env = { SERVER_URL: http.url, STORE_FILE: join(folder, store) };
  const port = gateway === undefined ? 0 : Number(new URL(gateway.origin).port);
  gateway = await startHttpPeer(bundleProgram(new URL('fixtures/program-gateway.ts', import.meta.url)), env, port);
  return `${gateway.origin}/mcp`;
}

const readText = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
  content.map(block => ('text' in block ? block.text : '')).join('\n');

describe('a program whose gateway is killed', () => {
  it.each(Array.from({ length: KILLS }, (_, kill) => kill))(
    'repeats no effect and loses none when the same id is sent again, kill %i',
    async kill => {
      effects.length = 0;
      const killAt = 1 + Math.floor((kill * PROGRAMS * 4) / KILLS);
      onEffect = () => {
        if (effects.length === killAt) void gateway?.stop();
      };
      const url = await startGateway('kills.db');
      const start = async (id: string) => {
        // The programs of one run make the same calls, so their texts name the run.
        const program = PROGRAM.replaceAll('({ text })', `({ text: '${id} ' + text })`);
        const client = await connect({ url });
        try {
          return readText(await client.callTool('run_program', { program, id }));
        } finally {
          await client.close();
        }
      };
      const ids = Array.from({ length: PROGRAMS }, (_, n) => `kill-${kill}-${n}`);
      const first = await Promise.allSettled(ids.map(start));
      expect(first.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
      await gateway?.exited;
      await startGateway('kills.db');
      const texts = await Promise.all(ids.map(start));
      for (const [n, text] of texts.entries()) {
        const id = ids[n] ?? '';
        const own = effects.filter(effect => effect.startsWith(`${id} `));
        expect(new Set(own).size, `effects: ${own}`).toBe(own.length);
        const outcomes: string[] = JSON.parse(text);
        expect(outcomes.map(outcome => outcome[0])).toEqual(['a', 'b', 'c', 'd']);
        for (const outcome of outcomes) {
          if (outcome.endsWith(' done')) expect(own).toContain(`${id} ${outcome[0]}`);
          else expect(outcome.slice(2)).toBe('call/outcome-unknown');
        }
      }
      await gateway?.stop();
    },
    60_000,
  );

  // The versions before have no elicitation: their approvals come from the operator.
  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'continues at an approval that is given to the next process, on %s',
    async protocolVersion => {
      effects.length = 0;
      onEffect = () => {};
      const url = await startGateway(`approval-${protocolVersion}.db`);
      let isKilled = false;
      const program = `
        await tools.bank__pay({ text: 'before' });
        await tools.bank__transfer({ text: 'approved' });
        await tools.bank__pay({ text: 'after' });
        return 'finished'`;
      const call = async () => {
        const client = await connect(
          { url },
          {
            protocolVersion,
            elicit: async () => {
              if (!isKilled) {
                isKilled = true;
                await gateway?.stop();
                await startGateway(`approval-${protocolVersion}.db`);
              }
              return { action: 'accept', content: { decision: 'once' } };
            },
          },
        );
        try {
          return readText(await client.callTool('run_program', { program, id: `approval-${protocolVersion}` }));
        } finally {
          await client.close();
        }
      };
      // A call of a session ends with its stream. A retry of 2026-07-28 needs nothing of the process that has ended.
      if (protocolVersion === '2026-07-28') expect(await call()).toBe('"finished"');
      else {
        await expect(call()).rejects.toThrow();
        expect(await call()).toBe('"finished"');
      }
      expect(effects).toEqual(['before', 'approved', 'after']);
      await gateway?.stop();
    },
    60_000,
  );
});
