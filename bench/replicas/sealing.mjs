// @ts-check
/** What it costs to seal a session before it is stored, and to open it when it is read: µs of CPU of one operation. */
import { memoryStores, sealStores } from 'tenon';

const OPERATIONS = 10_000;
const KEYS = [{ id: 'bench', key: Buffer.alloc(32, 7) }];

/** As large as the record of a session with user, client, capabilities and subscriptions. */
const SESSION = {
  user: { issuer: 'https://login.example.com', subject: '6b1f0c52-3c1f-4f3e-9c7f-0b5b8c9d2a11', client: 'desktop' },
  protocolVersion: '2025-11-25',
  capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
  clientInfo: { name: 'example-desktop', title: 'Example Desktop', version: '3.14.1' },
  logLevel: 'warning',
  subscriptions: ['file:///notes/today.md', 'file:///notes/plan.md'],
};

/** µs of CPU that sealing adds to a write, and opening to a read. @typedef {{ put: number, get: number }} Sealing */

/** @param {number} rounds @returns {Promise<Sealing[]>} */
export async function measureSealing(rounds) {
  const plain = memoryStores();
  const sealed = sealStores(memoryStores(), { keys: KEYS });
  await measureOperations(plain);
  await measureOperations(sealed);
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    const base = await measureOperations(plain);
    const own = await measureOperations(sealed);
    samples.push({ put: own.put - base.put, get: own.get - base.get });
  }
  return samples;
}

/** @param {import('tenon').Stores} stores @returns {Promise<Sealing>} */
async function measureOperations({ values }) {
  const put = await measureCpu(at => values.put(`session/${at % 100}`, SESSION));
  const get = await measureCpu(at => values.get(`session/${at % 100}`));
  return { put, get };
}

/** @param {(at: number) => Promise<unknown>} operate */
async function measureCpu(operate) {
  const start = process.cpuUsage();
  for (let at = 0; at < OPERATIONS; at += 1) await operate(at);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / OPERATIONS;
}
