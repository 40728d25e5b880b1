import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
  type TaskEnabledSession,
  toolDeclarationFromMcpTool,
} from '@modelcontextprotocol/ext-tasks/client';
import { createServer, tasks, tool, toolError } from 'tenon';
import { serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

/** The official helper for clients of tasks, of both generations, at a server of ours. */

const steps: string[] = [];
const server = createServer({
  name: 'jobs',
  version: '1.0.0',
  extensions: [tasks({ pollInterval: 50, list: true })],
  tools: {
    build: tool({
      input: z.object({ what: z.string() }),
      task: 'optional',
      async run({ what }, ctx) {
        await ctx.step('dig', () => void steps.push(`dig ${what}`));
        const [colour, size] = await Promise.all([
          ctx.elicit({ message: 'Which colour?', input: z.object({ colour: z.string() }) }),
          ctx.elicit({ message: 'How large?', input: z.object({ size: z.int() }) }),
        ]);
        await ctx.step('raise', () => void steps.push(`raise ${what}`));
        return `a ${colour.content?.colour} ${what} of ${size.content?.size}`;
      },
    }),
    fail: tool({
      task: 'optional',
      run: () => {
        throw toolError('no luck');
      },
    }),
    forever: tool({
      task: 'optional',
      run: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    }),
    greet: tool({ run: () => 'hello' }),
  },
});

let http: Awaited<ReturnType<typeof serveHttp>>;
beforeAll(async () => {
  http = await serveHttp(server, { port: 0 });
});
afterAll(async () => {
  await http.close({ timeout: 0 });
  server.close();
});

const framing = {
  protocolVersion: '2026-07-28',
  clientInfo: { name: 'ext-tasks', version: '0.2.2' },
  clientCapabilities: { elicitation: {} },
} as const;

let ids = 0;

/** What a host has to bring along itself, where the SDK's client refuses the words of tasks. */
const rawDispatch: RawClientDispatch = async (request, options) => {
  const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
  const response = await fetch(http.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': framing.protocolVersion,
      'mcp-method': method,
      'mcp-name': params.name ?? params.taskId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: `raw-${ids++}`, ...(request as object) }),
    ...(options?.signal ? { signal: options.signal } : {}),
  });
  const answer = (await response.json()) as { result?: never; error?: never };
  return answer.error ? { kind: 'error', error: answer.error } : { kind: 'result', result: answer.result as never };
};

const content: Record<string, object> = { 'Which colour?': { colour: 'red' }, 'How large?': { size: 3 } };

async function visit(generation: 'v1' | 'v2'): Promise<{ session: TaskEnabledSession; end(): Promise<void> }> {
  const pin = generation === 'v2' ? { versionNegotiation: { mode: { pin: '2026-07-28' } } as const } : {};
  const client = new Client(framing.clientInfo, { capabilities: { elicitation: {} }, ...pin });
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url)));
  const { tools } = await client.listTools();
  const session = createTaskSessionFromClient(client, {
    endpointId: 'jobs',
    tools: {
      currentTool: name => {
        const found = tools.find(each => each.name === name);
        return found && toolDeclarationFromMcpTool(found);
      },
    },
    onInputRequest: async request =>
      ({ action: 'accept', content: content[String((request.params as { message: string }).message)] }) as never,
    ...(generation === 'v2' ? { rawDispatch, v2RequestFraming: framing } : {}),
  });
  return {
    session,
    async end() {
      await session.close();
      await client.close();
    },
  };
}

describe.each(['v1', 'v2'] as const)('the official helper for tasks, version %s', generation => {
  let session: TaskEnabledSession;
  let end: () => Promise<void>;
  beforeAll(async () => {
    ({ session, end } = await visit(generation));
  });
  afterAll(() => end());

  it('finds the declared capabilities [ext-tasks.server-advertises tasks.capability-declared]', () => {
    expect(session.capabilities).toMatchObject({ execution: true, cancellation: true });
    expect(session.capabilities.inventory).toBe(generation === 'v1' ? 'server-list' : 'known-handles');
  });

  it('runs a task with an input request, and each step once', async () => {
    const before = steps.length;
    const execution = await session.callTool('build', { what: generation }, { task: { preference: 'require' } });
    expect(execution.kind).toBe('task');
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({
      content: [{ type: 'text', text: `a red ${generation} of 3` }],
    });
    expect(steps.slice(before)).toEqual([`dig ${generation}`, `raise ${generation}`]);
  });

  it('gets the result of a tool without tasks at once', async () => {
    const execution = await session.callTool('greet');
    expect(execution.kind).toBe('immediate');
    expect(resultFromTaskOutcome((await execution.settle()).outcome)).toMatchObject({ content: [{ text: 'hello' }] });
  });

  it('gets the result of a tool that failed [ext-tasks.tool-error-is-completed tasks.status.tool-is-error-failed]', async () => {
    const execution = await session.callTool('fail', {}, { task: { preference: 'require' } });
    const { outcome, lastTask } = await execution.settle();
    expect(JSON.stringify(outcome)).toContain('no luck');
    expect(JSON.stringify(lastTask)).toContain(generation === 'v1' ? 'failed' : 'completed');
  });

  it('cancels a task', async () => {
    const execution = await session.callTool('forever', {}, { task: { preference: 'require' } });
    await execution.cancel();
    const { outcome } = await execution.settle();
    expect(JSON.stringify(outcome)).toContain('cancelled');
  });

  it('resumes a task by its reference', async () => {
    const execution = await session.callTool('build', { what: 'tower' }, { task: { preference: 'require' } });
    if (execution.kind !== 'task') throw new Error('no task');
    const reference = execution.serializeReference();
    await execution.detach();
    const { session: other, end: done } = await visit(generation);
    const again = await other.resumeTask(reference);
    expect(resultFromTaskOutcome((await again.settle()).outcome)).toMatchObject({
      content: [{ text: 'a red tower of 3' }],
    });
    await done();
  });
});
