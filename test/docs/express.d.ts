/** As much of Express as the documentation uses: it brings no types of its own. */
declare module 'express' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http';

  type Handler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

  interface Application {
    use(handler: Handler): this;
    use(path: string, handler: Handler): this;
    all(path: string, handler: Handler): this;
    listen(port: number, host: string, listening?: () => void): Server;
  }

  interface Express {
    (): Application;
    json(): Handler;
    raw(options?: object): Handler;
    text(options?: object): Handler;
    urlencoded(options?: object): Handler;
  }

  const express: Express;
  export default express;
}
