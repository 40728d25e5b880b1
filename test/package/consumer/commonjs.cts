/** A CommonJS program. */
import tenon = require('tenon');
import http = require('tenon/http');

const server = tenon.createServer({
  name: 'clock',
  version: '1.0.0',
  tools: { now: tenon.tool({ description: 'The time', run: () => new Date().toISOString() }) },
});

export const handler: (request: Request) => Promise<Response> | Response = http.createHandler(server);
