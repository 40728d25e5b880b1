import type { JsonObject } from '../../jsonrpc/message.js';
import { type CallerIdentity, getOwnerKey } from '../../model/owner.js';
import type { CallToolResult } from '../../model/shapes.js';
import { cap } from '../output/cap.js';
import { isSpilled, type Spill } from '../output/spill.js';
import type { Proposal } from '../policy/proposal.js';
import { screenInstructions } from '../screening/definitions.js';
import { screenResult } from '../screening/results.js';
import type { GuardOptions } from './options.js';

/** What is passed on of what servers answer. */
export class Delivery {
  readonly #options: GuardOptions;
  readonly #spill: Spill | undefined;

  constructor(options: GuardOptions, spill: Spill | undefined) {
    this.#options = options;
    this.#spill = spill;
  }

  async result(proposal: Proposal, result: JsonObject, hasOutputSchema: boolean): Promise<JsonObject> {
    const screened = this.#screened(proposal, result);
    const { output } = this.#options;
    if (proposal.kind !== 'tool' || output === undefined || this.#spill === undefined) return screened;
    const capped = await cap(screened as unknown as CallToolResult, {
      limits: output === true ? {} : output,
      spill: this.#spill,
      principal: getOwnerKey(proposal),
      hasOutputSchema,
    });
    return capped as unknown as JsonObject;
  }

  instructions(server: string, text: string): string {
    const { screen = {}, onFindings } = this.#options;
    if (screen === false) return text;
    const { value, findings } = screenInstructions(text, screen.definitions);
    if (findings.length > 0) onFindings?.({ server, kind: 'instructions', name: server, findings });
    return value;
  }

  async read(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined> {
    if (this.#spill === undefined || !isSpilled(uri)) return undefined;
    return (await this.#spill.read(uri, getOwnerKey(identity))) as unknown as JsonObject | undefined;
  }

  #screened(proposal: Proposal, result: JsonObject): JsonObject {
    const { screen = {}, onFindings } = this.#options;
    if (screen === false || screen.results === false) return result;
    const { value, findings } = screenResult(result as unknown as CallToolResult, screen.results);
    if (findings.length > 0) onFindings?.({ server: proposal.server, kind: 'result', name: proposal.name, findings });
    return value as unknown as JsonObject;
  }
}
