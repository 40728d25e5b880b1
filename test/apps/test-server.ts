import { createServer, tool } from 'tenon';
import { z } from 'zod';

const numbers = z.object({ values: z.array(z.number()) });
/** A tool of the test app. */
const onPage = (uri: string, visibility: readonly string[] = ['model', 'app']) => ({
  ui: { resourceUri: uri, visibility },
});

/** Creates the server of the test app. `html` is its page by URI. */
export function createAppTestServer(html: (uri: string) => string, csp: object = {}) {
  const page = (uri: string) => ({
    mimeType: 'text/html;profile=mcp-app',
    read: () => ({ text: html(uri), _meta: { ui: { csp } } }),
  });
  return createServer({
    name: 'app-test',
    version: '1.0.0',
    tools: {
      chart: tool({
        _meta: onPage('ui://test/page.html'),
        output: numbers,
        run: () => ({ values: [1, 2, 3] }),
      }),
      hostile: tool({ _meta: onPage('ui://test/hostile.html'), run: () => 'hostile' }),
      official: tool({ _meta: onPage('ui://test/official.html'), run: () => 'official' }),
      double: tool({
        _meta: onPage('ui://test/page.html', ['app']),
        input: z.object({ value: z.number() }),
        output: z.object({ doubled: z.number() }),
        run: ({ value }) => ({ doubled: value * 2 }),
      }),
      secret: tool({ _meta: { ui: { visibility: ['model'] } }, run: () => 'the secret' }),
    },
    resources: {
      'ui://test/page.html': page('ui://test/page.html'),
      'ui://test/hostile.html': page('ui://test/hostile.html'),
      'ui://test/official.html': page('ui://test/official.html'),
      'note://one': { read: () => 'note one' },
    },
  });
}

export type AppTestServer = ReturnType<typeof createAppTestServer>;
