// @ts-check
/** Measures an input request and its response, client and server in one process, on the protocol version where it ends the round. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { connect } from 'tenon';
import { formatNumber, formatRatios, heading, median, RATIOS_NOTE, range, rotate, table } from '../report.mjs';
import { createQuestionServer } from './question-server.mjs';

/** @typedef {Record<string, any>} Json */
/** @typedef {{ name: string, inFlight: number, calls: number, call: () => Promise<string | undefined>, samples: { cpu: number }[] }} Subject */

const VERSION = '2026-07-28';
const CALLS = 1600;
const WARM_UPS = 6;
/** Most that a question and its answer may take, in microseconds. */
export const MAX_QUESTION = 150;

/** @param {{ rounds: number }} options */
export async function measureBothEnds({ rounds }) {
  const { call, close } = await connectTenon();
  const floor = createFloor();
  /** @type {Subject[]} */
  const subjects = [
    createSubject('floor', 16, floor),
    createSubject('a call without a question', 16, () => call('plain')),
    createSubject('a question and its answer', 16, () => call('ask')),
    createSubject('a question and its answer', 1, () => call('ask')),
  ];
  for (const subject of subjects) for (let warmUp = 0; warmUp < WARM_UPS; warmUp += 1) await measureCpu(subject);
  for (let round = 0; round < rounds; round += 1)
    for (const subject of rotate(subjects, round)) subject.samples.push({ cpu: await measureCpu(subject) });
  await close();
  const results = subjects.map(({ name, inFlight, samples }) => ({ name, inFlight, samples }));
  return { results, markdown: toMarkdown(results) };
}

/** @param {string} name @param {number} inFlight @param {Subject['call']} call @returns {Subject} */
const createSubject = (name, inFlight, call) => ({ name, inFlight, calls: CALLS, call, samples: [] });

async function connectTenon() {
  const client = await connect(createQuestionServer(), {
    protocolVersion: VERSION,
    elicit: () => ({ action: 'accept', content: { sure: true } }),
  });
  return {
    async call(/** @type {string} */ name) {
      const [first] = (await client.callTool(name, { text: 'x' })).content;
      return first?.type === 'text' ? first.text : undefined;
    },
    close: () => client.close(),
  };
}

/** The same messages as text, and a state that is encrypted and decrypted: what cannot be left out. */
function createFloor() {
  const key = randomBytes(32);
  const bound = Buffer.from('bench tools/call {"name":"ask","arguments":{"text":"x"}}');
  /** @param {Json} message @returns {Json} */
  const cross = message => JSON.parse(JSON.stringify(message));
  const seal = (/** @type {Json} */ state) => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(state)), cipher.final(), cipher.getAuthTag()]);
    return `${iv.toString('base64url')}.${sealed.toString('base64url')}`;
  };
  const open = (/** @type {string} */ sealed) => {
    const [iv = '', data = ''] = sealed.split('.');
    const bytes = Buffer.from(data, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64url')).setAAD(bound);
    decipher.setAuthTag(bytes.subarray(-16));
    return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString());
  };
  /** @param {Json} request @returns {Promise<Json>} */
  const serve = async ({ id, params }) => {
    if (params.requestState === undefined) {
      const requestedSchema = { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] };
      const question = { method: 'elicitation/create', params: { message: 'Is it right?', requestedSchema } };
      const requestState = seal({ round: 1, asked: 'ask-0', expires: Date.now() + 900_000 });
      return { jsonrpc: '2.0', id, result: { inputRequests: { 'ask-0': question }, requestState } };
    }
    const { asked, expires } = open(params.requestState);
    const isAccepted = expires > Date.now() && params.inputResponses[asked].action === 'accept';
    return {
      jsonrpc: '2.0',
      id,
      result: { content: [{ type: 'text', text: isAccepted ? params.arguments.text : '' }] },
    };
  };
  let id = 0;
  const send = async (/** @type {Json} */ params) => {
    id += 1;
    return cross(await serve(cross({ jsonrpc: '2.0', id, method: 'tools/call', params }))).result;
  };
  return async () => {
    const params = { name: 'ask', arguments: { text: 'x' } };
    const { inputRequests, requestState } = await send(params);
    const answers = Object.keys(inputRequests).map(key => [key, { action: 'accept', content: { sure: true } }]);
    const result = await send({ ...params, requestState, inputResponses: Object.fromEntries(answers) });
    return result.content[0].text;
  };
}

/** Microseconds of all threads for a call. @param {Subject} subject */
async function measureCpu({ name, inFlight, calls, call }) {
  const before = process.cpuUsage();
  for (let done = 0; done < calls; done += inFlight) {
    const texts = await Promise.all(Array.from({ length: inFlight }, call));
    if (texts.some(text => text !== 'x')) throw new Error(`${name} answered ${texts}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
}

/** @param {readonly Pick<Subject, 'name' | 'inFlight' | 'samples'>[]} results */
function toMarkdown(results) {
  const [floor] = results;
  const rows = results.map(({ name, inFlight, samples }) => [
    name,
    String(inFlight),
    range(samples.map(({ cpu }) => cpu)),
    formatRatios(samples, floor?.samples, 'cpu'),
  ]);
  const worst = Math.max(...results.slice(2).map(({ samples }) => median(samples.map(({ cpu }) => cpu))));
  return [
    heading(3, 'Client and server together'),
    `In one process, on ${VERSION}. The floor crosses the same messages as text, and seals the state by \`node:crypto\`. `,
    `A question and its answer may take ${MAX_QUESTION} µs; the slower way takes ${formatNumber(worst)}. ${RATIOS_NOTE}\n\n`,
    table(['call', 'in flight', 'CPU, µs', '× floor'], rows),
  ].join('');
}
