import { cpSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DefaultTheme, defineConfig, type HeadConfig, type MarkdownOptions } from 'vitepress';
import llmstxt from 'vitepress-plugin-llms';
import { readApiSidebars } from './api-sidebar.js';
import { sections } from './navigation.js';
import { compressSearchIndex, renderForSearch } from './search.js';
import { processTerm } from './search-terms.js';

const docs = fileURLToPath(new URL('..', import.meta.url));
const { repository } = JSON.parse(readFileSync(join(docs, '../packages/tenon/package.json'), 'utf8'));
const repositoryPage = repository.url.replace(/^git\+|\.git$/g, '');

/** The address of the published site, for links that are absolute: `DOCS_URL=https://docs.example`. */
const site = process.env.DOCS_URL;

/** Folder of the site with the published files of `mermaid`, which are larger than all pages if they are bundled again. */
const MERMAID = 'mermaid';

const description = 'MCP servers, clients and gateways in TypeScript. One definition serves every protocol version.';

export default defineConfig({
  title: 'Tenon',
  description,
  lang: 'en',
  cleanUrls: true,
  metaChunk: true,
  srcExclude: ['README.md'],
  ...(site === undefined ? {} : { sitemap: { hostname: site } }),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/icon.svg' }],
    ['meta', { name: 'theme-color', content: '#d9480f' }],
    ['meta', { property: 'og:type', content: 'website' }],
    ['meta', { property: 'og:site_name', content: 'Tenon' }],
    ['meta', { property: 'og:image', content: `${site ?? ''}/card.png` }],
    ['meta', { property: 'og:image:alt', content: description }],
    ['meta', { name: 'twitter:card', content: 'summary_large_image' }],
  ],
  transformHead: ({ pageData, title, description }) => [
    ['meta', { property: 'og:title', content: title }],
    ['meta', { property: 'og:description', content: description }],
    ...(site === undefined ? [] : [createUrlTag(site, pageData.relativePath)]),
  ],
  markdown: { config: configureMarkdown },
  vite: {
    plugins: [
      llmstxt({ description, ignoreFiles: ['reference/api/**'], sidebar: listSections() }),
      compressSearchIndex(),
    ],
    build: {
      chunkSizeWarningLimit: 4096,
      rollupOptions: { external: ['mermaid'], output: { paths: { mermaid: `/${MERMAID}/mermaid.esm.min.mjs` } } },
    },
  },
  buildEnd: ({ outDir }) => copyMermaid(join(outDir, MERMAID)),
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local', options: { _render: renderForSearch, miniSearch: { options: { processTerm } } } },
    outline: [2, 3],
    nav: [
      { text: 'Guide', link: '/start/first-server' },
      { text: 'API', link: '/reference/api/' },
      { text: 'Errors', link: '/reference/errors' },
    ],
    sidebar: {
      ...readApiSidebars(join(docs, 'reference/api/typedoc-sidebar.json')),
      '/': listSections(),
    },
    socialLinks: [{ icon: 'github', link: repositoryPage }],
    editLink: { pattern: `${repositoryPage}/edit/main/docs/:path` },
  },
});

/** Returns the address of a page, without the end that `cleanUrls` removes. */
function createUrlTag(site: string, path: string): HeadConfig {
  return ['meta', { property: 'og:url', content: `${site}/${path.replace(/(^|\/)index\.md$|\.md$/, '$1')}` }];
}

function listSections(): DefaultTheme.SidebarItem[] {
  return Object.entries(sections).map(([text, pages]) => ({
    text,
    collapsed: false,
    items: Object.entries(pages).map(([title, path]) => ({ text: title, link: `/${path.replace(/index$/, '')}` })),
  }));
}

type Markdown = Parameters<NonNullable<MarkdownOptions['config']>>[0];

function configureMarkdown(markdown: Markdown): void {
  linkToRepository(markdown);
  nameFiles(markdown);
  drawDiagrams(markdown);
}

/** Links out of this folder lead to the repository. */
function linkToRepository(markdown: Markdown): void {
  markdown.core.ruler.before('linkify', 'repository-links', state => {
    for (const { children } of state.tokens) {
      for (const token of children ?? []) {
        const href = token.type === 'link_open' ? token.attrGet('href') : null;
        if (!href || /^(\w+:|#|\/)/.test(href)) continue;
        const path = normalize(join('docs', dirname(state.env.relativePath), href));
        if (!path.startsWith('docs/')) token.attrSet('href', `${repositoryPage}/tree/main/${path}`);
      }
    }
  });
}

/** Shows the file name of a block of code that begins with ```ts file=server.ts, or its title in ```ts file=full/server.ts title=server.ts. */
function nameFiles(markdown: Markdown): void {
  const render = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const info = tokens[index]?.info ?? '';
    const name = (/\btitle=(\S+)/.exec(info) ?? /\bfile=(\S+)/.exec(info))?.[1];
    const code = render?.(tokens, index, options, env, self) ?? '';
    return name === undefined ? code : `<div class="file-name">${markdown.utils.escapeHtml(name)}</div>${code}`;
  };
}

/** Blocks of `mermaid`, which GitHub draws too. */
function drawDiagrams(markdown: Markdown): void {
  const render = markdown.renderer.rules.fence;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() !== 'mermaid') return render?.(tokens, index, options, env, self) ?? '';
    return `<MermaidDiagram :code="${markdown.utils.escapeHtml(JSON.stringify(token.content))}" />`;
  };
}

function copyMermaid(folder: string): void {
  const published = join(docs, 'node_modules/mermaid/dist');
  for (const path of ['mermaid.esm.min.mjs', 'chunks/mermaid.esm.min'])
    cpSync(join(published, path), join(folder, path), { recursive: true, filter: file => !file.endsWith('.map') });
}
