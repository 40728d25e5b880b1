// @ts-check
/** How long the event loop of this process does one thing without a turn for others. Loaded by the servers. */

/** Milliseconds of the longest turn: by the clock, and of CPU, which others on the machine do not lengthen. @typedef {{ wall: number, cpu: number }} LongestTurn */

const MICRO = 1000;

/** Watches the event loop for so many milliseconds. @param {number} duration @returns {Promise<LongestTurn>} */
export function watchTurns(duration) {
  const end = performance.now() + duration;
  const longest = { wall: 0, cpu: 0 };
  let [lastWall, lastCpu] = [performance.now(), readCpu()];
  return new Promise(resolve => {
    const turn = () => {
      const [wall, cpu] = [performance.now(), readCpu()];
      longest.wall = Math.max(longest.wall, wall - lastWall);
      longest.cpu = Math.max(longest.cpu, cpu - lastCpu);
      [lastWall, lastCpu] = [wall, cpu];
      if (wall > end) resolve(longest);
      else setImmediate(turn);
    };
    setImmediate(turn);
  });
}

function readCpu() {
  const { user, system } = process.cpuUsage();
  return (user + system) / MICRO;
}

/**
 * Notifies whenever a line comes on standard input, and says on standard output which turn was the longest meanwhile.
 * @param {() => void} notify
 */
export function notifyOnLine(notify) {
  process.stdin.on('data', async () => {
    const watched = watchTurns(2000);
    setImmediate(notify);
    console.log(`turns ${JSON.stringify(await watched)}`);
  });
}
