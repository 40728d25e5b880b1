// @ts-check
/** Makes calls when the parent says so, and reports the CPU of a call in microseconds. @param {(text: string) => Promise<unknown>} call */
export async function serveParent(call) {
  let last = 0;
  process.on('message', async (/** @type {{ calls: number, inFlight: number }} */ { calls, inFlight }) => {
    let left = calls;
    const before = process.cpuUsage();
    const callInTurn = async () => {
      while (left > 0) {
        left -= 1;
        last += 1;
        const text = `call ${last}`;
        const result = await call(text);
        if (result !== text) throw new Error(`${text}: unexpected response ${JSON.stringify(result)}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, callInTurn));
    const { user, system } = process.cpuUsage(before);
    process.send?.((user + system) / calls);
  });
  process.send?.('ready');
}
