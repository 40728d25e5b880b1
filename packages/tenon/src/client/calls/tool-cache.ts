import { copyJson, type JsonObject } from '@tenon/base';
import type { Tool } from '../../protocol/content.js';
import { type HeaderParam, readHeaderParams } from '../../protocol/header-params.js';
import type { PeerSchemaValidator } from '../../schemas/peer-schema.js';

/** The parts of a listed tool that its calls need. Changes of the tool by the application do not reach them. */
export interface ListedTool {
  readonly name: string;
  readonly outputSchema: JsonObject | undefined;
  readonly taskSupport: NonNullable<Tool['execution']>['taskSupport'];
  readonly headerParams: readonly HeaderParam[];
}

/** Reads the parts of a tool that its calls need. */
export function readListedTool({ name, inputSchema, outputSchema, execution }: Tool): ListedTool {
  const headerParams = readHeaderParams(inputSchema);
  return {
    name,
    outputSchema: outputSchema && copyJson(outputSchema),
    taskSupport: execution?.taskSupport,
    headerParams: typeof headerParams === 'string' ? [] : headerParams,
  };
}

/** The tools of the server whose calls need a part of the list: an output schema, headers that repeat arguments, or tasks. */
export class ToolCache {
  #tools: Map<string, ListedTool> | undefined;
  /** Validators of the results of the tools that have an output schema. */
  readonly validators = new Map<string, PeerSchemaValidator>();
  #loading: Promise<void> | undefined;
  /** Number that increases when the list changes. A list that was requested before is not stored. */
  generation = 0;

  /** True if the current list of tools was loaded. */
  get isLoaded(): boolean {
    return this.#tools !== undefined;
  }

  get(name: string): ListedTool | undefined {
    return this.#tools?.get(name);
  }

  clear(): void {
    this.#tools = undefined;
    this.validators.clear();
    this.generation += 1;
  }

  /**
   * Stores a complete list of tools, unless the list has changed since its first page was requested. Loads the schema
   * validator only if a tool has an output schema.
   */
  async set(tools: readonly ListedTool[], generation = this.generation): Promise<void> {
    const validating = tools.some(tool => tool.outputSchema) ? await import('../../schemas/peer-schema.js') : undefined;
    if (generation !== this.generation) return;
    this.validators.clear();
    this.#tools = new Map();
    for (const tool of tools) {
      const { name, outputSchema, taskSupport, headerParams } = tool;
      if (validating && outputSchema) this.validators.set(name, validating.compilePeerSchema(outputSchema));
      // Calls of other tools need nothing of the list.
      if (outputSchema || taskSupport || headerParams.length > 0) this.#tools.set(name, tool);
    }
  }

  /** Loads the list of tools unless it is loaded. Concurrent callers share one request. */
  async ensure(list: () => Promise<readonly ListedTool[]>): Promise<void> {
    if (this.#tools) return;
    const load = async () => {
      // A list that has changed meanwhile is read once more. A list that changes all the time does not block calls.
      for (let attempt = 0; attempt < 2 && this.#tools === undefined; attempt += 1) {
        const { generation } = this;
        await this.set(await list(), generation);
      }
    };
    this.#loading ??= load().finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }
}
