import { connect } from 'tenon';
import type { server } from './server.ts';

/** A client of the notes: asks before it overwrites, by way of a very agreeable user. */
const client = await connect<typeof server>(process.argv[2] ?? 'http://127.0.0.1:3000/mcp', {
  elicit: form => {
    console.log(`  (the user is asked: ${form.message})`);
    return { action: 'accept', content: { replace: true, sure: true } };
  },
  sample: ({ messages }) => ({
    role: 'assistant',
    model: 'parrot',
    content: { type: 'text', text: `You asked of ${JSON.stringify(messages).length} characters.` },
  }),
});

console.log('connected to', client.server.info?.name, 'with protocol version', client.server.protocolVersion);

const watching = (async () => {
  for await (const change of client.watch({ uris: ['note://Glue'], resources: true })) {
    console.log('  changed:', change);
    if ('uri' in change) break;
  }
})();

await client.tools.write({ title: 'Glue', body: 'Hide glue can be undone with steam.', tags: ['joinery'] });
const { replaced } = await client.tools.write({ title: 'Glue', body: 'Hide glue lets go when it is steamed.' });
console.log('replaced:', replaced);
await watching;

for (const { title, uri } of await client.tools.search({ words: 'joint' })) console.log('found:', title, uri);

const { imported, skipped } = await client.tools.import(
  { text: 'Rebate\nA step along an edge.\n\nDovetail\nKnown already.' },
  { onProgress: ({ progress, total, message }) => console.log(`  ${progress}/${total} ${message}`) },
);
console.log('imported', imported, 'skipped', skipped);

console.log((await client.tools.summarize({ title: 'Glue' })).content);
console.log(
  await client.complete({
    ref: { type: 'ref/resource', uri: 'note://{title}' },
    argument: { name: 'title', value: 'do' },
  }),
);
console.log((await client.prompts.review({ tag: 'joinery', tone: 'blunt' })).messages.length, 'messages');
await client.close();
