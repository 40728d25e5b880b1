import { type CallerIdentity, getOwnerKey, type JsonObject, type MaybePromise } from '@tenon/base';
import { isOverflowUri, type OverflowStore } from '../../proxy/output/overflow-store.js';
import { truncateResult } from '../../proxy/output/truncate-result.js';
import type { ActionRequest } from '../policy/action-request.js';
import { isThreat } from '../screening/finding.js';
import { isLarge, SCREENERS, type ScreenAside, type ScreenerName } from '../screening/large-values.js';
import { requireScreening, SCREENING, type Screened, type Screening } from '../screening/screener.js';
import type { HostGuardOptions } from './guard-options.js';

/** Screens, limits and masks results of servers. */
export class ResultGuard {
  readonly #options: HostGuardOptions;
  readonly #overflow: OverflowStore | undefined;
  readonly #screenAside: ScreenAside;
  /** Screening of results. Undefined if they are not screened. */
  readonly #resultScreening: Screening | undefined;

  constructor(options: HostGuardOptions, overflow: OverflowStore | undefined, screenAside: ScreenAside) {
    const { screening = {} } = options;
    if (screening !== false) {
      requireScreening('`screening.definitions`', screening.definitions ?? {}, SCREENING);
      requireScreening('`screening.results`', screening.results || {}, SCREENING);
    }
    const isScreening = screening !== false && screening.results !== false;
    this.#resultScreening = isScreening ? { ...screening.results, mask: screening.onThreat === 'mask' } : undefined;
    this.#options = options;
    this.#overflow = overflow;
    this.#screenAside = screenAside;
  }

  /** Stores the part of the result of a tool that exceeds the limits, and returns the rest. */
  truncateResult(
    actionRequest: ActionRequest,
    screened: JsonObject,
    hasOutputSchema: boolean,
  ): MaybePromise<JsonObject> {
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

  /** Screens and masks a result. Returns the reason instead if the result is blocked. */
  async screenResult({ server, name }: ActionRequest, result: JsonObject): Promise<JsonObject | string> {
    if (this.#resultScreening === undefined) return result;
    const { screening, onScreeningReport } = this.#options;
    const { value, findings } = await this.#screenValue('screenResult', result, this.#resultScreening);
    if (findings.length > 0) onScreeningReport?.({ server, kind: 'result', name, findings });
    const threat = screening && screening.onThreat === 'block' ? findings.find(isThreat) : undefined;
    return threat ? `its result has ${threat.kind} at ${threat.where}` : value;
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
