import { fakeClock } from '@tenon/testing';
import { connect, createServer, type Prompt, prompt, tool } from 'tenon';
import { expect, it } from 'vitest';
import { type ListedClient, readServerLists, type ServerLists } from './read-server-lists.js';

async function connectWithPrompts(listPrompts: ListedClient['listPrompts']): Promise<ListedClient> {
  const server = createServer({
    name: 'notes',
    version: '1',
    tools: { write: tool({ run: () => 'written' }) },
    prompts: { review: prompt({ run: () => 'Review it' }) },
  });
  const client = await connect(server);
  return {
    server: client.server,
    listTools: options => client.listTools(options),
    listResources: options => client.listResources(options),
    listResourceTemplates: options => client.listResourceTemplates(options),
    listPrompts,
  };
}

it('shows the lists that have come after two seconds, and all of them at the end', async () => {
  let sendPrompts = () => {};
  const sent = new Promise<void>(resolve => {
    sendPrompts = resolve;
  });
  async function* listPrompts(): AsyncGenerator<Prompt> {
    await sent;
    yield { name: 'review' };
  }
  const client = await connectWithPrompts(listPrompts);
  const clock = fakeClock();
  const parts: ServerLists[] = [];
  const reading = readServerLists(client, { clock, onPartial: part => parts.push(part) });
  await expect
    .poll(() => {
      clock.advance(1000);
      return parts.length;
    })
    .toBe(1);
  expect(parts[0]?.tools).toMatchObject([{ name: 'write' }]);
  expect(parts[0]?.failures).toMatchObject([{ list: 'prompts', error: { code: 'call/timeout' } }]);
  sendPrompts();
  const lists = await reading;
  expect(lists).toMatchObject({ tools: [{ name: 'write' }], prompts: [{ name: 'review' }], failures: [] });
  clock.advance(60_000);
  expect(parts).toHaveLength(1);
});

it('shows no part if all lists come in time', async () => {
  async function* listPrompts(): AsyncGenerator<Prompt> {
    yield { name: 'review' };
  }
  const clock = fakeClock();
  const parts: ServerLists[] = [];
  await readServerLists(await connectWithPrompts(listPrompts), { clock, onPartial: part => parts.push(part) });
  clock.advance(60_000);
  expect(parts).toEqual([]);
});
