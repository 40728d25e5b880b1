import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { AppSandbox } from './app-sandbox.js';

const HOST = 'http://127.0.0.1:4000';
let sandbox = new AppSandbox();
afterEach(async () => {
  await sandbox.close();
  sandbox = new AppSandbox();
});

/** Sends a request with any headers, which `fetch` would not send. */
function send(url: string, { method = 'GET', headers = {}, body = '' } = {}) {
  return new Promise<{ status: number; policy: string; text: string }>((resolve, reject) => {
    const sent = request(url, { method, headers }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', chunk => (text += chunk));
      const policy = String(response.headers['content-security-policy']);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, policy, text }));
    });
    sent.on('error', reject).end(body);
  });
}

describe('AppSandbox', () => {
  it('listens from the first page on, and serves it with the declared origins, its host and its place for reports', async () => {
    expect(sandbox.origin).toBeUndefined();
    const { url } = await sandbox.add({ hostOrigin: HOST, onReport() {} });
    expect(url.startsWith(`${sandbox.origin}/`)).toBe(true);
    const csp = encodeURIComponent(JSON.stringify({ connectDomains: ['https://api.example'] }));
    const { status, policy, text } = await send(`${url}?csp=${csp}`);
    expect(status).toBe(200);
    expect(policy).toContain('connect-src https://api.example;');
    expect(policy).toContain(`frame-ancestors ${HOST}; report-uri ${url}/report`);
    expect(text).toContain(HOST);
  });

  it('refuses other hosts, other addresses, other uses, and pages that are removed', async () => {
    const reports: unknown[] = [];
    const { key, url } = await sandbox.add({ hostOrigin: HOST, onReport: report => reports.push(report) });
    const { port } = new URL(url);
    for (const host of [`localhost:${port}`, '127.0.0.1', `127.0.0.1:${port}.attacker.example`, 'attacker.example'])
      expect((await send(url, { headers: { host } })).status).toBe(421);
    for (const path of ['', 'other', `${key}/other`, `x/${key}`])
      expect((await send(`${sandbox.origin}/${path}`)).status).toBe(404);
    expect((await send(url, { method: 'POST' })).status).toBe(404);
    expect((await send(`${url}/report`)).status).toBe(404);
    expect((await send(url, { headers: { 'sec-fetch-dest': 'document' } })).status).toBe(403);
    expect((await send(url, { headers: { 'sec-fetch-dest': 'iframe' } })).status).toBe(200);
    sandbox.remove(key);
    expect((await send(url)).status).toBe(404);
    expect((await send(`${url}/report`, { method: 'POST', body: '{}' })).status).toBe(404);
    expect(reports).toEqual([]);
  });

  it('takes reports up to a size, and refuses what is no JSON', async () => {
    const reports: unknown[] = [];
    const { url } = await sandbox.add({ hostOrigin: HOST, onReport: report => reports.push(report) });
    const post = (body: string) => send(`${url}/report`, { method: 'POST', body });
    expect((await post('{"a":1}')).status).toBe(204);
    expect((await post('{"a"')).status).toBe(400);
    expect((await post(`"${'x'.repeat(70_000)}"`)).status).toBe(400);
    expect(reports).toEqual([{ a: 1 }]);
  });

  it('closes its listener, also while it opens, and opens none if it has no page', async () => {
    await sandbox.close();
    expect(sandbox.origin).toBeUndefined();
    sandbox = new AppSandbox();
    const adding = sandbox.add({ hostOrigin: HOST, onReport() {} });
    await sandbox.close();
    const { url } = await adding;
    await expect(send(url)).rejects.toThrow(/ECONNREFUSED/);
  });
});
