import type { JsonObject } from '../../jsonrpc/message.js';
import { type CallerIdentity, getOwnerKey } from '../../model/owner.js';
import type { CallToolResult } from '../../model/shapes.js';
import { cap } from '../output/cap.js';
import { isSpilled, type Spill } from '../output/spill.js';
import type { Proposal } from '../policy/proposal.js';
import { screenInstructions } from '../screening/definitions.js';
import { isThreat } from '../screening/finding.js';
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

  /** The result as it is passed on, or the reason for which it is not. */
  async result(
    proposal: Proposal,
    result: JsonObject,
    hasOutputSchema: boolean,
  ): Promise<{ readonly result: JsonObject } | { readonly blocked: string }> {
    const screened = this.#screened(proposal, result);
    return typeof screened === 'string'
      ? { blocked: screened }
      : { result: await this.#capped(proposal, screened, hasOutputSchema) };
  }

  async #capped(proposal: Proposal, screened: JsonObject, hasOutputSchema: boolean): Promise<JsonObject> {
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
    const { value, findings } = screenInstructions(text, {
      ...screen.definitions,
      mask: masksDefinitions(this.#options),
    });
    if (findings.length > 0) onFindings?.({ server, kind: 'instructions', name: server, findings });
    return value;
  }

  async read(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined> {
    if (this.#spill === undefined || !isSpilled(uri)) return undefined;
    return (await this.#spill.read(uri, getOwnerKey(identity))) as unknown as JsonObject | undefined;
  }

  #screened(proposal: Proposal, result: JsonObject): JsonObject | string {
    const { screen = {}, screening, onFindings } = this.#options;
    if (screen === false || screen.results === false) return result;
    const { value, findings } = screenResult(result as unknown as CallToolResult, {
      ...screen.results,
      mask: screening === 'mask',
    });
    if (findings.length > 0) onFindings?.({ server: proposal.server, kind: 'result', name: proposal.name, findings });
    const threat = screening === 'block' ? findings.find(isThreat) : undefined;
    if (threat) return `its result has ${threat.kind} at ${threat.where}`;
    return value as unknown as JsonObject;
  }
}

/** A definition cannot be answered with an error: what is withheld of it is masked. */
export function masksDefinitions({ screening }: GuardOptions): boolean {
  return screening === 'mask' || screening === 'block';
}
