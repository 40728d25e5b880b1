// @ts-check
// A server with the number of workers that the argument says. `work` keeps its processor busy for a millisecond.
import { createServer, tool } from 'tenon';
import { serveHttp } from 'tenon/node';

const server = createServer({
  name: 'workers',
  version: '1.0.0',
  tools: {
    echo: tool({
      input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      run: ({ text }) => String(text),
    }),
    work: tool({
      run: () => {
        const end = performance.now() + 1;
        let turns = 0;
        while (performance.now() < end) turns += 1;
        return String(turns);
      },
    }),
  },
});
const http = await serveHttp(server, { port: 0, workers: Number(process.argv[2]) });
if (process.send === undefined) console.log(http.url);
