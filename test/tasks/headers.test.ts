import { type HttpServer, serveHttp } from 'tenon/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL_CAPABILITIES } from '../../packages/tenon/src/extensions/tasks/fixtures/task-client.js';
import { createTaskServer } from './task-server.js';

let http: HttpServer;
const works = createTaskServer();
beforeAll(async () => {
  http = await serveHttp(works, { port: 0 });
});
afterAll(async () => {
  works.close();
  await http.close({ timeout: 0 });
});

async function post(
  method: string,
  params: object,
  headers: Record<string, string>,
  capabilities: object = FULL_CAPABILITIES,
) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const response = await fetch(http.url, {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const { result, error } = (await response.json()) as { result?: Record<string, unknown>; error?: { code: number } };
  return { status: response.status, result, error, code: error?.code };
}

describe('tasks over HTTP', () => {
  it('require a header with the task of the body [ext-tasks.mcp-name-header-validated]', async () => {
    const { result } = await post('tools/call', { name: 'slow' }, { 'mcp-name': 'slow' });
    const taskId = String(result?.taskId);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const params = { taskId, inputResponses: {} };
      expect(await post(method, params, {})).toMatchObject({ status: 400, code: -32020 });
      expect(await post(method, params, { 'mcp-name': 'other' })).toMatchObject({ status: 400, code: -32020 });
      expect(await post(method, params, { 'mcp-name': taskId })).toMatchObject({ status: 200, code: undefined });
    }
  });

  it('respond 400 to a caller without the extension [ext-tasks.required-capability-error ext-tasks.methods-missing-capability]', async () => {
    const requiredCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const lacking = { status: 400, error: { code: -32021, data: { requiredCapabilities } } };
    expect(await post('tools/call', { name: 'structured' }, { 'mcp-name': 'structured' }, {})).toMatchObject(lacking);
    expect(await post('tasks/get', { taskId: 'a' }, { 'mcp-name': 'a' }, {})).toMatchObject(lacking);
    const notifications = { taskIds: ['a'] };
    expect(await post('subscriptions/listen', { notifications }, {}, {})).toMatchObject(lacking);
    expect(await post('tasks/result', { taskId: 'a' }, { 'mcp-name': 'a' })).toMatchObject({
      status: 404,
      code: -32601,
    });
  });
});
