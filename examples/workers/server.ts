import { createHandler } from 'tenon/http';
import { server } from '../notes/server.ts';

/** For Cloudflare Workers, Deno (`deno serve`) and Bun: one `fetch` function. Name the host that you deploy it under. */
export default {
  fetch: createHandler(server, { path: '/mcp', allowedHosts: ['notes.example.com'] }),
};
