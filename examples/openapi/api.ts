import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** Starts the API of `library.json` on a free port. Requests need the key. */
export async function startLibrary(key: string): Promise<{ readonly url: string; close(): void }> {
  const books = [
    { id: 1, title: 'Emma' },
    { id: 2, title: 'Ulysses' },
  ];
  const api = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://api');
    const send = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (request.headers['x-key'] !== key) return send(401, { error: 'a key is missing' });
    if (request.method === 'POST') {
      const { title } = (await json(request)) as { title: string };
      const book = { id: books.length + 1, title };
      books.push(book);
      return send(201, book);
    }
    const id = /^\/books\/(.+)$/.exec(pathname)?.[1];
    const text = (searchParams.get('title') ?? '').toLowerCase();
    const book = books.find(each => String(each.id) === id);
    if (id !== undefined) return book === undefined ? send(404, { error: 'no such book' }) : send(200, book);
    return send(
      200,
      books.filter(({ title }) => title.toLowerCase().includes(text)),
    );
  });
  await new Promise<void>(resolve => api.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, close: () => api.close() };
}
