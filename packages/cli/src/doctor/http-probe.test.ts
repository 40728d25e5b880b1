import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getProgram, hasPrograms } from '../../../../scripts/optional-programs.mjs';
import { runDoctor } from './run-doctor.js';

describe.skipIf(!hasPrograms('openssl'))('the doctor at a server with a certificate that is not trusted', () => {
  const seen: { readonly method: string; readonly token: string | undefined }[] = [];
  const server = createServer();
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tenon-doctor-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '30'];
    execFileSync(getProgram('openssl'), ['req', ...form, '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    });
    server.setSecureContext({ key: await readFile(key), cert: await readFile(cert) });
    await rm(folder, { recursive: true, maxRetries: 10 });
    server.on('request', ({ method = '', headers }, response) => {
      seen.push({ method, token: headers.authorization });
      response.writeHead(404).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => server.close());

  it('sends no token, and reports the certificate [cli.doctor]', async () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const target = { url: `https://127.0.0.1:${port}/mcp`, auth: 'secret-token' };
    const report = await runDoctor(target, 'server', { timeout: 30_000 });
    expect(report.findings.map(({ id }) => id)).toContain('tls.chain');
    expect(seen.filter(({ token }) => token?.includes('secret'))).toEqual([]);
    expect(report.exit).not.toBe(0);
  });
});
