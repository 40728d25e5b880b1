// @ts-check
/** What is asked of the servers on HTTP. */
import { echo } from '../load.mjs';

/** @typedef {import('../load.mjs').Call} Call */
/** @typedef {{ id: string, title: string, about: string, call: Call, seconds: number, warmUp: { most: number, seconds: number } }} Scenario */
/** Scenarios that are measured in the same processes. @typedef {{ answers: import('./subjects.mjs').Answers, tool: string, scenarios: Scenario[] }} ScenarioGroup */

const NOTICES = 10;

/** @param {boolean} pause @returns {Call} */
const steps = pause => ({
  method: 'tools/call',
  params: id => ({ name: 'steps', arguments: { count: NOTICES, pause }, _meta: { progressToken: id } }),
  isRight: ({ answer, messages }, id) => {
    const notices = messages.filter(({ method }) => method === 'notifications/progress');
    const rightly = notices.every(({ params }, at) => params.progressToken === id && params.progress === at + 1);
    return rightly && notices.length === NOTICES && answer?.result?.content?.[0]?.text === `${NOTICES} steps`;
  },
});

/** @type {ScenarioGroup[]} */
export const scenarioGroups = [
  {
    answers: 'json',
    tool: 'echo',
    scenarios: [
      {
        id: 'call',
        title: '`tools/call` with one text, checked by zod',
        about: 'The tool gives the text back.',
        call: echo,
        seconds: 1.2,
        warmUp: { most: 10_000, seconds: 4 },
      },
    ],
  },
  {
    answers: 'stream',
    tool: 'steps',
    scenarios: [
      {
        id: 'progress',
        title: `An answer with ${NOTICES} notices of progress`,
        about: 'The tool lets the machine have a turn before each notice: what it tells goes out one by one.',
        call: steps(true),
        seconds: 0.8,
        warmUp: { most: 8000, seconds: 4 },
      },
      {
        id: 'burst',
        title: `An answer with ${NOTICES} notices of progress, all at once`,
        about: 'The tool does not wait between the notices.',
        call: steps(false),
        seconds: 0.8,
        warmUp: { most: 2000, seconds: 1 },
      },
    ],
  },
];
