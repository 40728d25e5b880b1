/**
 * What a client does with the smoke server, in whatever runtime: the same steps everywhere. Portable: no Node in here.
 * @typedef {{ lane: string, version: string, did: string[], failure?: string }} Verdict
 */

/** The protocol versions and the transport that carries each: the first one has only the two endpoints over HTTP. */
export const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
const PATIENCE_MS = 55_000;

/**
 * Connects on one protocol version, takes every step, and closes. Never rejects: what failed is in the verdict.
 * @param {typeof import('tenon').connect} connect
 * @param {{ lane: string, target: import('tenon').Target, version: string }} way
 * @returns {Promise<Verdict>}
 */
export async function smoke(connect, { lane, target, version }) {
  const did = [];
  let step = 'connect';
  let client;
  try {
    client = await inTime(
      connect(target, { protocolVersion: version, elicit: () => ({ action: 'accept', content: { name: 'Ada' } }) }),
    );
    const errors = [];
    client.on('error', error => errors.push(error.message));
    must(client.server.protocolVersion === version, `speaks ${client.server.protocolVersion}`);
    for (const [name, run] of Object.entries(steps)) {
      step = name;
      if (name === 'elicit' && version < '2025-06-18') continue;
      await inTime(run(client));
      did.push(name);
    }
    step = 'close';
    must(errors.length === 0, `it reported ${errors}`);
    await inTime(client.close());
    return { lane, version, did };
  } catch (error) {
    await client?.close().catch(() => {});
    return { lane, version, did, failure: `${step}: ${error?.code ?? error?.name}: ${error?.message ?? error}` };
  }
}

const steps = {
  async list(client) {
    const names = [];
    for await (const { name } of client.listTools()) names.push(name);
    must(names.join() === 'add,greet,count,wait,waits,touch', `tools are ${names}`);
  },
  async call(client) {
    const answer = await client.tools.add({ a: 2, b: 3 });
    must(answer.sum === 5, `2 + 3 is ${JSON.stringify(answer)}`);
    // Before 2025-11-25 the server responds with a protocol error, and since then with a result that has `isError`.
    const refused = await client.callTool('add', { a: 'two', b: 3 }).then(
      result => result.isError === true,
      error => error.rpcCode === -32602,
    );
    must(refused, 'input that does not fit was taken');
  },
  async elicit(client) {
    const { content } = await client.callTool('greet');
    must(content[0].text === 'Hello, Ada', `it said ${JSON.stringify(content)}`);
  },
  async progress(client) {
    const seen = [];
    await client.tools.count({}, { onProgress: ({ progress, total }) => seen.push(`${progress}/${total}`) });
    must(seen.join() === '1/3,2/3,3/3', `progress was ${seen}`);
  },
  async cancel(client) {
    const countWaits = async () => Number((await client.callTool('waits')).content[0].text);
    const before = await countWaits();
    const canceled = new AbortController();
    const waiting = client.callTool('wait', {}, { signal: canceled.signal }).catch(error => error.code);
    while ((await countWaits()) === before) await pause(5);
    canceled.abort();
    must((await waiting) === 'call/aborted', `the canceled call ended with ${await waiting}`);
    // A runtime that repeats the request does it at once.
    await pause(50);
    const runs = (await countWaits()) - before;
    must(runs === 1, `the canceled call ran ${runs} times`);
  },
  async watch(client) {
    const changes = client.watch('note://a')[Symbol.asyncIterator]();
    const first = changes.next();
    // When the server has heard of the watcher is not told: touch until a change comes.
    let heard = false;
    const touching = (async () => {
      for (let delay = 5; !heard; delay = Math.min(delay * 2, 200)) {
        await pause(delay);
        if (!heard) await client.tools.touch();
      }
    })();
    try {
      const { value } = await inTime(first);
      must(value?.uri === 'note://a', `the change was ${JSON.stringify(value)}`);
    } finally {
      heard = true;
      await touching;
      await changes.return?.();
    }
  },
};

const pause = delay => new Promise(resolve => setTimeout(resolve, delay));

function must(held, otherwise) {
  if (!held) throw new Error(otherwise);
}

function inTime(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`took longer than ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
