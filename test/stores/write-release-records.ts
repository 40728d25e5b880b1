import { writeFile } from 'node:fs/promises';
import { memoryStores, type Stores } from 'tenon';
import { loadRelease } from '../support/release.js';
import { INITIALIZE_PARAMS, postTo, startProcess, until, writeSecrets } from './release-process.js';

/**
 * Writes `fixtures/records-0.1.0.json`: records of 0.1.0 with work that the next release continues. Run it with
 * `npx tsx test/stores/write-release-records.ts`.
 */
const time = Date.UTC(2026, 10, 20);
const release = await loadRelease('0.1.0');
const stores: Stores = { ...memoryStores(), durable: true };
const effects: string[] = [];
const server = startProcess(release, { open: () => stores, close: async () => {} }, effects, 'hang', time);
await writeSecrets(release, stores);
const { session } = await postTo(server, { id: 1, method: 'initialize', params: INITIALIZE_PARAMS });
await postTo(server, { method: 'notifications/initialized' }, session);

const client = await server.connect();
const { result } = await client.call('tools/call', { name: 'job', arguments: {} });
const task = String(result?.taskId);
await until(async () => (await stores.values.list(`task-log/${task}/`)).length > 0);

const asker = await server.connect({ elicitation: {} });
const call = { name: 'order', arguments: {} };
const { result: request } = await asker.call('tools/call', call);
const inputs = Object.keys(request?.inputRequests ?? {});
const inputResponses = Object.fromEntries(inputs.map(key => [key, { action: 'accept', content: { a: 'b' } }]));
const retry = { ...call, requestState: request?.requestState, inputResponses };
asker.send('tools/call', retry);
await until(async () => (await stores.values.list('retry/')).some(({ version }) => version > 1));
await server.kill();

const values = Object.fromEntries((await stores.values.list('')).map(({ key, value }) => [key, value]));
const file = new URL('fixtures/records-0.1.0.json', import.meta.url);
await writeFile(file, `${JSON.stringify({ time, session, task, retry, values }, undefined, 2)}\n`);
process.exit(0);
