/**
 * A server on standard streams that exits when it is told to, in the way that its first argument says. All that it is
 * sent is written to the file of the second.
 */
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , mode, file] = process.argv;
const say = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const facts = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

createInterface({ input: process.stdin }).on('line', line => {
  appendFileSync(file, `${line}\n`);
  const { id, method, params } = JSON.parse(line);
  if (method === 'server/discover')
    say({
      id,
      result: {
        ...facts,
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, resources: { subscribe: true } },
      },
    });
  if (method === 'subscriptions/listen') {
    const { notifications } = params;
    const _meta = { [subscriptionId]: id };
    say({ method: 'notifications/subscriptions/acknowledged', params: { _meta, notifications } });
    say({ method: 'notifications/resources/updated', params: { _meta, uri: 'note://all' } });
  }
  if (method === 'notifications/end') {
    if (mode === 'killed') process.kill(process.pid, 'SIGKILL');
    else process.exit(mode === 'failed' ? 3 : 0);
  }
});
