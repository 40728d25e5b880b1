import { chmod } from 'node:fs/promises';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { createHttpServer } from '../http/listen.js';
import { createSecretCheck } from '../http/secret-check.js';
import type { SocketRecord } from './socket-record.js';

/** Serves HTTP on a socket that only this user can open, and only to requests with the token of the record. */
export async function listenOnSocket({ socket, token }: SocketRecord, listener: RequestListener): Promise<Server> {
  const isToken = createSecretCheck(token);
  const http = createHttpServer((request, response) => {
    if (isToken(String(request.headers['x-tenon-token'] ?? ''))) listener(request, response);
    else response.writeHead(401).end();
  });
  // The socket is created with the rights that the mask leaves.
  const mask = process.umask(0o077);
  await new Promise<void>((resolve, reject) => http.once('error', reject).listen(socket, resolve)).finally(() => {
    // Servers are processes of the user, and create files with the rights that the user has chosen.
    process.umask(mask);
  });
  if (process.platform !== 'win32') await chmod(socket, 0o600);
  return http;
}

export function respondJson(response: ServerResponse, status: number, content: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}
