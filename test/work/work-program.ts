/**
 * Does the scenes in each size, and tells on standard output what one time of each takes: in `steps` or in `bytes`. With
 * another argument only those that have it in their names: to look at one by hand.
 */
import { bytesHeldBy, bytesOf } from './bytes.js';
import { handlerOf, sessionOn } from './roads.js';
import type { Scenes } from './scene.js';
import { CALL, serverWith, toolsOf } from './scenes/offers.js';
import { flat, growing, halved, toldAgain } from './scenes.js';
import { stepsOf } from './steps.js';

const TIMES = 10;
const [, , what, only = ''] = process.argv;

if (what === 'steps') await eachScene({ ...flat, ...toldAgain, ...halved, ...growing }, stepsTaken);
else {
  await eachScene(flat, async once => ({ cost: await bytesOf(once) }));
  await idleSessions();
}
process.exit();

async function eachScene(scenes: Scenes, measure: (once: () => Promise<unknown>) => Promise<object>): Promise<void> {
  for (const [name, { sizes, prepare }] of Object.entries(scenes)) {
    if (!name.includes(only)) continue;
    for (const size of sizes) {
      const { once, close } = await prepare(size);
      tell({ name, size, ...(await measure(once)) });
      await close();
    }
  }
}

async function stepsTaken(once: () => Promise<unknown>): Promise<object> {
  for (let time = 0; time < 3; time++) await once();
  const { total, byFunction } = await stepsOf(async () => {
    for (let time = 0; time < TIMES; time++) await once();
  });
  return { cost: total / TIMES, byFunction: Object.fromEntries(byFunction) };
}

async function idleSessions(): Promise<void> {
  const handler = handlerOf(serverWith({ tools: toolsOf(20) }));
  const idle = async () => (await sessionOn(handler))(...CALL);
  tell({ name: 'a session that idles', size: 1, cost: await bytesHeldBy(idle) });
}

function tell(told: object): void {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
