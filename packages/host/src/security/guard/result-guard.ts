import { type CallerIdentity, getOwnerKey, type JsonObject, type MaybePromise, thenMaybe } from '@tenon/base';
import { isOverflowUri, type OverflowStore } from '../../proxy/output/overflow-store.js';
import { truncateResult } from '../../proxy/output/truncate-result.js';
import type { ActionRequest } from '../policy/action-request.js';
import { isThreat } from '../screening/finding.js';
import { isLarge, SCREENERS, type ScreenAside, type ScreenerName } from '../screening/large-values.js';
import type { Screened, Screening } from '../screening/screener.js';
import type { HostGuardOptions } from './guard-options.js';

/** Screens, limits and masks results of servers. */
export class ResultGuard {
  readonly #options: HostGuardOptions;
  readonly #overflow: OverflowStore | undefined;
  readonly #screenAside: ScreenAside;

  constructor(options: HostGuardOptions, overflow: OverflowStore | undefined, screenAside: ScreenAside) {
    this.#options = options;
    this.#overflow = overflow;
    this.#screenAside = screenAside;
  }

  /** Screens, limits and masks a result. Returns the reason instead if the result is blocked. */
  processResult(
    actionRequest: ActionRequest,
    result: JsonObject,
    hasOutputSchema: boolean,
  ): MaybePromise<{ readonly result: JsonObject } | { readonly blocked: string }> {
    return thenMaybe(this.#screen(actionRequest, result), screened =>
      typeof screened === 'string'
        ? { blocked: screened }
        : thenMaybe(this.#truncate(actionRequest, screened, hasOutputSchema), truncated => ({ result: truncated })),
    );
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

  async screenText(server: string, text: string): Promise<string> {
    const screening = getDefinitionScreening(this.#options);
    if (screening === undefined) return text;
    const { value, findings } = await this.#screenValue('screenInstructions', text, screening);
    if (findings.length > 0)
      this.#options.onScreeningReport?.({ server, kind: 'instructions', name: server, findings });
    return value;
  }

  async readOverflow(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined> {
    if (this.#overflow === undefined || !isOverflowUri(uri)) return undefined;
    const contents = await this.#overflow.read(uri, getOwnerKey(identity));
    return contents && { ...contents };
  }

  #screen(actionRequest: ActionRequest, result: JsonObject): MaybePromise<JsonObject | string> {
    const { screening = {}, onScreeningReport } = this.#options;
    if (screening === false || screening.results === false) return result;
    const options = { ...screening.results, mask: screening.onThreat === 'mask' };
    return thenMaybe(this.#screenValue('screenResult', result, options), ({ value, findings }) => {
      if (findings.length > 0)
        onScreeningReport?.({ server: actionRequest.server, kind: 'result', name: actionRequest.name, findings });
      const threat = screening.onThreat === 'block' ? findings.find(isThreat) : undefined;
      return threat ? `its result has ${threat.kind} at ${threat.where}` : value;
    });
  }

  #screenValue<Value>(screener: ScreenerName, value: Value, options: object): MaybePromise<Screened<Value>> {
    if (!isLarge([value])) return SCREENERS[screener](value as never, options) as Screened<Value>;
    return this.#screenAside({ screener, values: [value], options }).then(([screened]) => screened as Screened<Value>);
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
