// @ts-check
/** Measures an input request on the protocol version where it ends the round: the size of `requestState`, and the work of each round. */
import { createServer, memoryStores, tool } from 'tenon';
import { heading, median, table } from '../report.mjs';
import { measureBothEnds } from './both-ends.mjs';

/** @typedef {Record<string, unknown>} Json */
/** @typedef {{ result?: Json & { requestState?: string, inputRequests?: Record<string, unknown> }, error?: unknown }} Answer */
/** @typedef {(params: Json) => Promise<Answer>} Send */
/** @typedef {{ way: string, questions: number, bytes: number, cpu: number[], wall: number[] }} Measured */

const QUESTIONS = [1, 3, 10];
const CALLS = 300;
const AT_ONCE = 20;
const KEYS = [{ id: 'bench', key: new Uint8Array(32).fill(7) }];
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
};
const form = /** @type {const} */ ({ type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] });
const createDurableStores = () => ({ ...memoryStores(), durable: true });

/** @typedef {{ inputRequests: import('tenon').InputRequestOptions, stores?: () => import('tenon').Stores }} ServerSetup */

/** Each way in which a retry is served, and the options of the server for it. @type {Record<string, ServerSetup>} */
const ways = {
  held: { inputRequests: {} },
  replayed: { inputRequests: { maxSuspended: 0 } },
  'held, state in the store': { inputRequests: { maxStateSize: 0 } },
  'replayed, state in the store': { inputRequests: { maxSuspended: 0, maxStateSize: 0 } },
  'replayed, steps in a durable store': { inputRequests: { maxSuspended: 0 }, stores: createDurableStores },
};

/** @param {{ rounds: number }} options */
export async function measureAsking({ rounds }) {
  const plain = createSender({ inputRequests: {} });
  /** @type {Measured[]} */
  const results = Object.keys(ways).flatMap(way =>
    QUESTIONS.map(questions => ({ way, questions, bytes: 0, cpu: [], wall: [] })),
  );
  /** @type {{ cpu: number[], wall: number[] }} */
  const base = { cpu: [], wall: [] };
  await measureTime(() => plain({ name: 'plain', arguments: {} }));
  for (let round = 0; round < rounds; round += 1) {
    const one = await measureTime(() => plain({ name: 'plain', arguments: {} }));
    base.cpu.push(one.cpu);
    base.wall.push(one.wall);
    for (const result of results) await measure(result);
  }
  const together = await measureBothEnds({ rounds });
  return {
    results: { plain: base, asking: results, together: together.results },
    markdown: `${toMarkdown(results, base)}\n${together.markdown}`,
  };
}

/** @param {Measured} result */
async function measure(result) {
  const setup = ways[result.way];
  if (setup === undefined) throw new Error(`there is no way ${result.way}`);
  const send = createSender(setup);
  const call = async () => {
    const bytes = await completeCall(send, result.questions);
    result.bytes = Math.max(result.bytes, bytes);
  };
  // The first round is for the compiler.
  if (result.cpu.length === 0) await measureTime(call);
  const { cpu, wall } = await measureTime(call);
  result.cpu.push(cpu / (result.questions + 1));
  result.wall.push(wall / (result.questions + 1));
}

/**
 * Plays a call to its end. Returns the bytes of its largest state.
 * @param {Send} send
 * @param {number} questions
 */
async function completeCall(send, questions) {
  const params = { name: 'ask', arguments: { questions } };
  let answer = await send(params);
  let bytes = 0;
  for (let round = 0; round < questions; round += 1) {
    const { requestState = '', inputRequests = {} } = answer.result ?? {};
    bytes = Math.max(bytes, requestState.length);
    const keys = Object.keys(inputRequests);
    const inputResponses = Object.fromEntries(keys.map(key => [key, { action: 'accept', content: { sure: true } }]));
    answer = await send({ ...params, requestState, inputResponses });
  }
  if (answer.result?.resultType !== 'complete') throw new Error(`the call did not end: ${JSON.stringify(answer)}`);
  return bytes;
}

/** @param {ServerSetup} setup @returns {Send} */
function createSender({ inputRequests, stores = memoryStores }) {
  const server = createServer({
    name: 'bench',
    version: '1.0.0',
    inputRequests: { keys: KEYS, ...inputRequests },
    stores: stores(),
    tools: {
      plain: tool({ run: () => 'done' }),
      ask: tool({
        input: /** @type {const} */ ({ type: 'object', properties: { questions: { type: 'integer' } } }),
        async run({ questions = 0 }, ctx) {
          for (let n = 0; n < questions; n += 1) {
            await ctx.step(`step-${n}`, () => ({ id: `order-${n}`, price: 12 }));
            await ctx.elicit({ message: `Is ${n} right?`, input: form });
          }
          return 'done';
        },
      }),
    },
  });
  let id = 0;
  return async params => {
    id += 1;
    const request = {
      jsonrpc: /** @type {const} */ ('2.0'),
      id,
      method: 'tools/call',
      params: { ...params, _meta: META },
    };
    const route = server.classifyRequest(request);
    if (route.opening !== 'per-request') throw new Error(route.opening);
    const answer = await server.answer(request, route, { send: () => {}, onClientClosed: () => {} });
    return /** @type {Answer} */ (/** @type {unknown} */ (answer));
  };
}

/**
 * Microseconds of all threads, and milliseconds that one call takes when nothing else runs.
 * @param {() => Promise<unknown>} call
 */
async function measureTime(call) {
  const before = process.cpuUsage();
  for (let done = 0; done < CALLS; done += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, call));
  const { user, system } = process.cpuUsage(before);
  const start = performance.now();
  for (let alone = 0; alone < AT_ONCE; alone += 1) await call();
  return { cpu: (user + system) / CALLS, wall: (performance.now() - start) / AT_ONCE };
}

/** @param {readonly Measured[]} results @param {{ cpu: readonly number[], wall: readonly number[] }} base */
function toMarkdown(results, base) {
  const plain = median(base.cpu);
  const rows = results.map(({ way, questions, bytes, cpu, wall }) => [
    way,
    String(questions),
    String(bytes),
    median(cpu).toFixed(0),
    (median(cpu) / plain).toFixed(1),
    median(wall).toFixed(2),
  ]);
  const head = [
    'served',
    'questions and steps',
    'state, bytes',
    'CPU per round, µs',
    '× plain call',
    'time per round alone, ms',
  ];
  return [
    heading(2, 'Asking on 2026-07-28'),
    `A plain call takes ${plain.toFixed(0)} µs of CPU and ${median(base.wall).toFixed(2)} ms. The state is the largest of the call; `,
    'a round is one request, the first included. A round waits one turn of the event loop for what is asked together.\n\n',
    table(head, rows),
  ].join('');
}
