import type { JsonObject } from '../jsonrpc/message.js';
import type { Tool } from '../model/content.js';
import { type Mirror, mirrorsOf } from '../model/mirror.js';
import type { Judge } from '../schemas/foreign.js';

/** A tool as the client knows it. */
export interface KnownTool {
  readonly tool: Tool;
  readonly mirrors: readonly Mirror[];
  readonly output: Judge | undefined;
}

/** What is known of the server's tools: which headers mirror their arguments, and what their results must fit. */
export class Toolbox {
  #tools: Map<string, KnownTool> | undefined;
  #filling: Promise<void> | undefined;

  /** Whether the list has been read since it last changed. */
  get known(): boolean {
    return this.#tools !== undefined;
  }

  get(name: string): KnownTool | undefined {
    return this.#tools?.get(name);
  }

  forget(): void {
    this.#tools = undefined;
  }

  /** Takes note of a whole list. What judges results is loaded when there is something to judge them by. */
  async fill(tools: readonly Tool[]): Promise<void> {
    const judges = tools.some(tool => tool.outputSchema) ? await import('../schemas/foreign.js') : undefined;
    this.#tools = new Map(tools.map(tool => [tool.name, knownTool(tool, judges?.compileJson)]));
  }

  /** Reads the list unless it is known. Callers that come meanwhile wait for the same reading. */
  async ensure(list: () => Promise<readonly Tool[]>): Promise<void> {
    if (this.#tools) return;
    this.#filling ??= list()
      .then(tools => this.fill(tools))
      .finally(() => {
        this.#filling = undefined;
      });
    await this.#filling;
  }
}

type Compile = (schema: JsonObject) => Judge;

function knownTool(tool: Tool, compile: Compile | undefined): KnownTool {
  const mirrors = mirrorsOf(tool.inputSchema);
  return {
    tool,
    mirrors: typeof mirrors === 'string' ? [] : mirrors,
    output: tool.outputSchema && compile && outputOf(tool.outputSchema, compile),
  };
}

/** A schema that can not be used checks nothing: the server's other tools are none the worse for it. */
function outputOf(schema: JsonObject, compile: Compile): Judge | undefined {
  try {
    return compile(schema);
  } catch {
    return undefined;
  }
}

/** Why a tool can not be called over HTTP, when its annotations are wrong. */
export function unusable({ inputSchema }: { inputSchema: JsonObject }): string | undefined {
  const mirrors = mirrorsOf(inputSchema);
  return typeof mirrors === 'string' ? mirrors : undefined;
}
