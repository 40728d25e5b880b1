import { afterEach, expect, it } from 'vitest';
import { runDoctor } from '../../packages/cli/src/doctor/run-doctor.js';
import { takePart } from '../support/extent.js';
import { httpFaults, type SeededHttpFault } from './http-faults.js';
import { listWarnings } from './list-warnings.js';
import { type HttpFault, startServerWith } from './sound-server.js';
import { soundSchemas, toolFaults } from './tool-faults.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function examine(fault: HttpFault, { path = '/mcp', token }: Partial<SeededHttpFault> = {}): Promise<string[]> {
  const { origin, close } = await startServerWith(fault);
  closers.push(close);
  const target = { url: `${origin}${path}`, ...(token === undefined ? {} : { auth: token }) };
  return listWarnings(await runDoctor(target, target.url, { samples: 1, timeout: 30_000, skip: ['latency'] }));
}

it('reports no problem in a correct HTTP server', async () => {
  expect(await examine({})).toEqual([]);
});

it('opens no session to find redirects, and leaves a target that is no URL', async () => {
  const methods: unknown[] = [];
  const intercept: HttpFault['intercept'] = (request, response, body) => {
    if (request.method !== 'POST' || request.headers['mcp-session-id'] !== undefined) return false;
    methods.push(/"method":"([^"]+)"/.exec(body)?.[1]);
    return methods.at(-1) === 'ping' && Boolean(response.writeHead(308, { location: 'http://[' }).end());
  };
  expect(await examine({ intercept })).toEqual([]);
  expect(methods).toContain('ping');
});

it.each(takePart(httpFaults, 0, 4))('reports over HTTP exactly: $title', async ({ found, path, token, ...fault }) => {
  expect(await examine(fault, { ...(path && { path }), ...(token && { token }) })).toEqual(found);
});

it.each(takePart(toolFaults, 0, 4))('reports in the tools exactly: $title', async ({ found, tools }) => {
  const edit: HttpFault['edit'] = (response, { method }) =>
    method === 'tools/list' ? { ...response, result: { ...(response.result as object), tools } } : response;
  expect(await examine({ edit })).toEqual(found);
});

it('reports no required parameter that another part of the schema may describe', async () => {
  const tools = soundSchemas.map((inputSchema, index) => ({
    name: `look_up_${index}`,
    description: 'Looks something up',
    annotations: { readOnlyHint: true },
    inputSchema,
  }));
  const edit: HttpFault['edit'] = (response, { method }) =>
    method === 'tools/list' ? { ...response, result: { ...(response.result as object), tools } } : response;
  expect(await examine({ edit })).toEqual([]);
});

it('reports only as info that a description tells the use of other tools', async () => {
  const description = 'Looks something up. You MUST call this tool before any other tool.';
  const tools = [{ ...toolFaults[0]?.tools[0], description }];
  const edit: HttpFault['edit'] = (response, { method }) =>
    method === 'tools/list' ? { ...response, result: { ...(response.result as object), tools } } : response;
  const { origin, close } = await startServerWith({ edit });
  closers.push(close);
  const url = `${origin}/mcp`;
  const report = await runDoctor({ url }, url, { samples: 1, timeout: 30_000, only: ['texts'] });
  expect(report.findings.map(({ id, severity }) => [id, severity])).toEqual([['texts.guidance', 'info']]);
});
