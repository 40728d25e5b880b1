import { prompt, resource, type Server, tool } from 'tenon';
import { z } from 'zod';

/** Tools that change what the server offers, and say so. */
export function createChangingTools(server: () => Server) {
  let count = 0;
  return {
    grow: tool({
      description: 'Adds three of each kind',
      run() {
        const { tools, prompts, resources } = server();
        for (let i = 0; i < 3; i++) {
          count += 1;
          tools.set(`grown-${count}`, tool({ run: () => 'grown' }));
          if (prompts.isOffered) prompts.set(`grown-${count}`, prompt({ run: () => 'grown' }));
          if (resources.isOffered) resources.set(`grown://${count}`, resource({ read: () => 'grown' }));
        }
        return String(count);
      },
    }),
    begin: tool({
      description: 'Adds a prompt and a resource, also to a server that has none',
      run() {
        server().prompts.set('begun', prompt({ run: () => 'begun' }));
        server().resources.set('begun://1', resource({ read: () => 'begun' }));
        return 'begun';
      },
    }),
    touch: tool({
      description: 'Says that a resource has changed',
      input: z.object({ uri: z.string() }),
      run({ uri }) {
        server().notifyResourceUpdated(uri);
        return uri;
      },
    }),
    notice: tool({
      description: 'Sends a notification of its own',
      run(_, ctx) {
        ctx.notify('notifications/notes/said', { text: 'hello' });
        return 'told';
      },
    }),
  };
}
