import { gzipSync } from 'node:zlib';
import type { MarkdownOptions, Plugin } from 'vitepress';

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Returns the part of a page that search finds: of the API the names, of the other pages all text without their code. */
export function renderForSearch(source: string, env: { relativePath: string }, markdown: Markdown): string {
  const isApi = env.relativePath.startsWith('reference/api/');
  const text = isApi ? (/^# .*$/m.exec(source)?.[0] ?? '') : source.replace(/^```[\s\S]*?^```$/gm, '');
  return markdown.render(text, env);
}

/** Compresses the index of the search in its file: a browser without compressed responses reads a quarter of the bytes. */
export function compressSearchIndex(): Plugin {
  return {
    name: 'compress-search-index',
    apply: 'build',
    async generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !chunk.fileName.includes('@localSearchIndexroot')) continue;
        const { default: index } = await import(
          `data:text/javascript;base64,${Buffer.from(chunk.code).toString('base64')}`
        );
        const bytes = JSON.stringify(gzipSync(index, { level: 9 }).toString('base64'));
        chunk.code = [
          `const bytes=Uint8Array.from(atob(${bytes}),character=>character.charCodeAt(0));`,
          `const text=new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));`,
          'export default await new Response(text).text();',
        ].join('\n');
      }
    },
  };
}
