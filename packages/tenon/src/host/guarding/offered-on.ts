import type { Offered } from '../offered.js';
import type { Line } from '../upstream/line.js';

const LISTS = ['tools', 'prompts', 'resources', 'templates'] as const;

/** All that a server offers on a line. */
export async function offeredOn(line: Line): Promise<Offered> {
  const { lists } = line;
  const [tools, prompts, resources, templates] = await Promise.all([
    lists.known('tools'),
    lists.known('prompts'),
    lists.known('resources'),
    lists.known('templates'),
  ]);
  const { info, instructions, revision } = line.about ?? (await line.client()).server;
  return {
    server: line.server,
    info,
    instructions,
    revision,
    tools: tools.items,
    prompts: prompts.items,
    resources: resources.items,
    templates: templates.items,
  };
}

/** Whether the same lists were read, not others that are equal. */
export function isSame(one: Offered, other: Offered): boolean {
  return (
    LISTS.every(list => one[list] === other[list]) && one.info === other.info && one.instructions === other.instructions
  );
}
