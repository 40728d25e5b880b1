import { type Context, createServer, type Stores, tasks, tool } from 'tenon';
import { z } from 'zod';
import { type Fleet, REGIONS } from './fleet.ts';

/**
 * Deploys applications: asks first, works for minutes, asks again when something goes wrong, and goes on where it was when
 * its process has died. The handler reads from top to bottom; nothing in it knows of tasks, restarts or protocol versions.
 */
export function createDeployer(fleet: Fleet, stores: Stores) {
  return createServer({
    name: 'deployer',
    version: '1.0.0',
    stores,
    extensions: [tasks({ pollInterval: 500, leaseTtl: 3000, list: true })],
    tools: {
      deploy: tool({
        title: 'Deploy a version',
        description:
          'Builds a version of an application and rolls it out, region by region, after the user has agreed.',
        input: z.object({ app: z.string().regex(/^[a-z-]+$/), version: z.string() }),
        output: z.object({ image: z.string(), regions: z.array(z.string()), rolledBack: z.array(z.string()) }),
        annotations: { destructiveHint: true },
        requiredCapabilities: { elicitation: {} },
        task: 'optional',

        async run({ app, version }, ctx) {
          ctx.progress(0, undefined, `building ${version}`);
          const { image, changes } = await ctx.step('build', () => fleet.build(app, version, ctx.signal));
          const notes = await releaseNotes(ctx, changes);

          const plan = await ctx.elicit({
            message: `Deploy ${image}?\n\n${notes}`,
            input: z.object({
              regions: z
                .array(z.enum(REGIONS))
                .default([...REGIONS])
                .describe('Where to'),
            }),
          });
          if (plan.action !== 'accept') return ctx.fail(`The user did not want ${image} to be deployed.`);

          const { regions } = plan.content;
          const rolledBack: string[] = [];
          for (const [index, region] of regions.entries()) {
            ctx.progress(index + 1, regions.length + 1, `rolling out to ${region}`);
            const { healthy } = await ctx.step(`roll out to ${region}`, () => fleet.rollOut(image, region, ctx.signal));
            if (healthy) continue;
            const advice = await ctx.elicit({
              message: `${image} is not well in ${region}. Roll it back there?`,
              input: z.object({ rollBack: z.boolean().default(true) }),
            });
            if (advice.action === 'accept' && !advice.content.rollBack) continue;
            await ctx.step(`roll back ${region}`, () => fleet.rollBack(app, region));
            rolledBack.push(region);
          }

          await ctx.step('announce', () => fleet.announce(image, notes));
          return { image, regions, rolledBack };
        },
      }),

      history: tool({
        title: 'What was done',
        description: 'Everything that was ever done to the fleet.',
        annotations: { readOnlyHint: true },
        run: () => fleet.history.join('\n') || 'Nothing yet.',
      }),
    },
  });
}

export type Deployer = ReturnType<typeof createDeployer>;

/** In the words of the client's own model, where it lends one. */
async function releaseNotes(ctx: Context, changes: readonly string[]): Promise<string> {
  const plain = changes.map(change => `- ${change}`).join('\n');
  if (ctx.client.capabilities.sampling === undefined) return plain;
  const { content } = await ctx.sample({
    messages: [
      { role: 'user', content: { type: 'text', text: `Write one cheerful line of release notes:\n${plain}` } },
    ],
    maxTokens: 60,
  });
  const [first] = Array.isArray(content) ? content : [content];
  return first?.type === 'text' ? first.text : plain;
}
