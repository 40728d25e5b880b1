import { type CallerIdentity, getOwnerKey, type JsonObject, type MaybePromise, thenMaybe } from '@tenon/base';
import { isOverflowUri, type OverflowStore } from '../../proxy/output/overflow-store.js';
import { truncateResult } from '../../proxy/output/truncate-result.js';
import type { ActionRequest } from '../policy/action-request.js';
import { isThreat } from '../screening/finding.js';
import { screenInstructions } from '../screening/screen-definitions.js';
import { screenResult } from '../screening/screen-results.js';
import type { Screening } from '../screening/screener.js';
import type { HostGuardOptions } from './guard-options.js';

/** Screens, limits and masks results of servers. */
export class ResultGuard {
  readonly #options: HostGuardOptions;
  readonly #overflow: OverflowStore | undefined;

  constructor(options: HostGuardOptions, overflow: OverflowStore | undefined) {
    this.#options = options;
    this.#overflow = overflow;
  }

  /** Screens, limits and masks a result. Returns the reason instead if the result is blocked. */
  processResult(
    actionRequest: ActionRequest,
    result: JsonObject,
    hasOutputSchema: boolean,
  ): MaybePromise<{ readonly result: JsonObject } | { readonly blocked: string }> {
    const screened = this.#screen(actionRequest, result);
    if (typeof screened === 'string') return { blocked: screened };
    return thenMaybe(this.#truncate(actionRequest, screened, hasOutputSchema), truncated => ({ result: truncated }));
  }

  #truncate(actionRequest: ActionRequest, screened: JsonObject, hasOutputSchema: boolean): MaybePromise<JsonObject> {
    const { output } = this.#options;
    if (actionRequest.kind !== 'tool' || output === undefined || this.#overflow === undefined) return screened;
    return truncateResult(screened, {
      limits: output === true ? {} : output,
      overflow: this.#overflow,
      principal: getOwnerKey(actionRequest),
      hasOutputSchema,
    });
  }

  screenText(server: string, text: string): string {
    const screening = getDefinitionScreening(this.#options);
    if (screening === undefined) return text;
    const { value, findings } = screenInstructions(text, screening);
    if (findings.length > 0)
      this.#options.onScreeningReport?.({ server, kind: 'instructions', name: server, findings });
    return value;
  }

  async readOverflow(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined> {
    if (this.#overflow === undefined || !isOverflowUri(uri)) return undefined;
    const contents = await this.#overflow.read(uri, getOwnerKey(identity));
    return contents && { ...contents };
  }

  #screen(actionRequest: ActionRequest, result: JsonObject): JsonObject | string {
    const { screening = {}, onScreeningReport } = this.#options;
    if (screening === false || screening.results === false) return result;
    const { value, findings } = screenResult(result, {
      ...screening.results,
      mask: screening.onThreat === 'mask',
    });
    if (findings.length > 0)
      onScreeningReport?.({ server: actionRequest.server, kind: 'result', name: actionRequest.name, findings });
    const threat = screening.onThreat === 'block' ? findings.find(isThreat) : undefined;
    if (threat) return `its result has ${threat.kind} at ${threat.where}`;
    return value;
  }
}

/**
 * Returns the screening of definitions, instructions and input requests, or `undefined` if they are not screened. With
 * `block`, their texts are masked, because a definition cannot be replaced with an error.
 */
export function getDefinitionScreening({ screening = {} }: HostGuardOptions): Screening | undefined {
  if (screening === false) return undefined;
  return { ...screening.definitions, mask: screening.onThreat === 'mask' || screening.onThreat === 'block' };
}
