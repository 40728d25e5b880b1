import { createServer, prompt, resource, tool, toolError } from 'tenon';
import { z } from 'zod';
import { Notebook } from './notebook.ts';

/** A notebook that a client of any protocol version can use. Nothing here depends on the version. */

const uriOf = (title: string) => `note://${encodeURIComponent(title)}`;

const notebook = new Notebook((title, kind) => {
  server.notifyResourceUpdated(uriOf(title));
  server.notifyResourceUpdated('notebook://index');
  if (kind !== 'changed') server.resources.notifyChanged();
});

const found = (title: string) => {
  const note = notebook.get(title);
  if (note) return note;
  throw toolError(`There is no note “${title}”. There are: ${notebook.titles().join(', ') || 'none'}.`);
};

export const server = createServer({
  name: 'notes',
  version: '1.0.0',
  title: 'Notes',
  instructions: 'Search before you write: the note may exist. Notes are resources, note://{title}.',

  tools: {
    write: tool({
      title: 'Write a note',
      description: 'Writes a note, or replaces one after the user has agreed.',
      input: z.object({
        title: z.string().min(1).max(80),
        body: z.string(),
        tags: z.array(z.string()).default([]),
      }),
      output: z.object({ uri: z.string(), replaced: z.boolean() }),
      annotations: { destructiveHint: false, idempotentHint: true },
      async run({ title, body, tags }, ctx) {
        const replaced = notebook.get(title) !== undefined;
        if (replaced) {
          const answer = await ctx.elicit({
            message: `Replace the note “${title}”?`,
            input: z.object({ replace: z.boolean().default(false).describe('The old text is lost') }),
          });
          if (answer.action !== 'accept' || !answer.content.replace) return ctx.fail('The user kept the old note.');
        }
        notebook.write(title, body, tags);
        return { uri: uriOf(title), replaced };
      },
    }),

    search: tool({
      title: 'Search the notes',
      description: 'Finds the notes that hold all the words.',
      input: z.object({ words: z.string() }),
      output: z.array(z.object({ title: z.string(), uri: z.string(), tags: z.array(z.string()) })),
      annotations: { readOnlyHint: true },
      run: ({ words }) =>
        notebook.search(words).map(({ title, tags }) => ({ title, uri: uriOf(title), tags: [...tags] })),
    }),

    show: tool({
      title: 'Show a note',
      description: 'The text of a note, and a link to it.',
      input: z.object({ title: z.string() }),
      annotations: { readOnlyHint: true },
      run({ title }) {
        const note = found(title);
        return [note.body, { type: 'resource_link', uri: uriOf(title), name: title, mimeType: 'text/markdown' }];
      },
    }),

    summarize: tool({
      title: 'Summarize a note',
      description: "Has the client's own model summarize a note.",
      input: z.object({ title: z.string(), words: z.int().min(5).max(200).default(30) }),
      annotations: { readOnlyHint: true },
      async run({ title, words }, ctx) {
        const { body } = found(title);
        const { content } = await ctx.sample({
          messages: [{ role: 'user', content: { type: 'text', text: `Summarize in ${words} words:\n\n${body}` } }],
          maxTokens: words * 4,
        });
        const blocks = Array.isArray(content) ? content : [content];
        return blocks.flatMap(block => (block.type === 'text' ? [block.text] : []));
      },
    }),

    import: tool({
      title: 'Import notes',
      description: 'Writes many notes, one for each paragraph. The first line of a paragraph is its title.',
      input: z.object({ text: z.string() }),
      output: z.object({ imported: z.int(), skipped: z.int() }),
      async run({ text }, ctx) {
        const paragraphs = text.split(/\n\s*\n/).filter(paragraph => paragraph.trim());
        let skipped = 0;
        for (const [index, paragraph] of paragraphs.entries()) {
          if (ctx.signal.aborted) break;
          const [title = '', ...lines] = paragraph.trim().split('\n');
          if (notebook.get(title)) {
            skipped += 1;
            ctx.log('notice', `“${title}” exists and was left alone`, 'import');
          } else {
            notebook.write(title.slice(0, 80), lines.join('\n'));
          }
          ctx.progress(index + 1, paragraphs.length, title);
          await new Promise(resolve => setImmediate(resolve));
        }
        return { imported: paragraphs.length - skipped, skipped };
      },
    }),

    remove: tool({
      title: 'Remove a note',
      description: 'Removes a note after the user has agreed.',
      input: z.object({ title: z.string() }),
      annotations: { destructiveHint: true, idempotentHint: true },
      async run({ title }, ctx) {
        found(title);
        const answer = await ctx.elicit({
          message: `Remove the note “${title}” for good?`,
          input: z.object({ sure: z.boolean().default(false) }),
        });
        if (answer.action !== 'accept' || !answer.content.sure) return ctx.fail('The user kept the note.');
        notebook.remove(title);
        return `Removed “${title}”.`;
      },
    }),
  },

  resources: {
    'notebook://index': resource({
      name: 'index',
      title: 'All notes',
      mimeType: 'text/markdown',
      read: () =>
        notebook
          .all()
          .map(({ title, tags }) => `- [${title}](${uriOf(title)}) ${tags.map(tag => `#${tag}`).join(' ')}`)
          .join('\n') || 'No notes yet.',
    }),
    'note://{title}': resource({
      name: 'note',
      title: 'A note',
      mimeType: 'text/markdown',
      list: () =>
        notebook.all().map(({ title, written }) => ({ title, annotations: { lastModified: written.toISOString() } })),
      complete: {
        title: start => notebook.titles().filter(title => title.toLowerCase().startsWith(start.toLowerCase())),
      },
      read: ({ title }) => notebook.get(title)?.body,
    }),
  },

  prompts: {
    review: prompt({
      title: 'Review notes',
      description: 'Looks at the notes of one tag with fresh eyes.',
      input: z.object({
        tag: z.string().describe('A tag of the notes'),
        tone: z.string().optional().describe('How to put it'),
      }),
      complete: { tag: () => notebook.tags(), tone: ['kind', 'blunt', 'curious'] },
      run: ({ tag, tone = 'kind' }) => [
        `Review these notes. Be ${tone}. What is missing, what contradicts?`,
        ...notebook
          .all()
          .filter(note => note.tags.includes(tag))
          .map(note => ({
            type: 'resource' as const,
            resource: { uri: uriOf(note.title), mimeType: 'text/markdown', text: note.body },
          })),
      ],
    }),
  },
});

notebook.write('Mortise and tenon', 'A joint of two parts: the tenon is cut to fit the mortise. No nails.', [
  'joinery',
]);
notebook.write('Dovetail', 'A joint that cannot be pulled apart, for the corners of drawers.', ['joinery']);
