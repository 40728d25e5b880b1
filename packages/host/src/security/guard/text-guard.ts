import {
  type CallerIdentity,
  getOwnerKey,
  type JsonObject,
  type MaybePromise,
  rpcError,
  type TenonError,
  thenMaybe,
} from '@tenon/base';
import { isOverflowUri, type OverflowStore } from '../../proxy/output/overflow-store.js';
import { truncateResult } from '../../proxy/output/truncate-result.js';
import type { ActionRequest } from '../policy/action-request.js';
import { isThreat } from '../screening/finding.js';
import { isLarge, SCREENERS, type ScreenAside, type ScreenerName } from '../screening/large-values.js';
import { requireScreening, SCREENING, type Screened, type Screening } from '../screening/screener.js';
import type { HostGuardOptions, ScreeningReport } from './guard-options.js';

/** Screens and masks the texts of servers, except definitions, and limits the size of results. */
export class TextGuard {
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

  /** Screens the instructions of a server. */
  async screenInstructions(server: string, text: string): Promise<string> {
    const screening = getDefinitionScreening(this.#options);
    const { value } = await this.#screen('screenInstructions', text, screening, {
      server,
      kind: 'instructions',
      name: server,
    });
    return value;
  }

  /** Screens the parameters of an input request of a server. Synchronous if they are small. */
  screenInputRequest(server: string, method: string, params: JsonObject): MaybePromise<JsonObject> {
    const screening = getDefinitionScreening(this.#options);
    const kind = method === 'sampling/createMessage' ? 'sampling' : 'elicitation';
    const screened = this.#screen('screenInputRequest', params, screening, { server, kind, name: method });
    return thenMaybe(screened, ({ value }) => value);
  }

  /** Screens an entry of the skills of a server. */
  async screenSkill(server: string, skill: JsonObject): Promise<JsonObject> {
    const screening = getDefinitionScreening(this.#options);
    const { value } = await this.#screen('screenSkill', skill, screening, {
      server,
      kind: 'skill',
      name: String(skill.uri),
    });
    return value;
  }

  /** Screens the texts of an error of a server for a caller. With `block`, they are masked. */
  async screenError(server: string, method: string, error: TenonError): Promise<TenonError> {
    const { rpcCode, summary, data } = error;
    if (rpcCode === undefined) return error;
    const { onThreat } = this.#options.screening || {};
    const screening = this.#resultScreening && {
      ...this.#resultScreening,
      mask: onThreat === 'mask' || onThreat === 'block',
    };
    const texts = { message: summary, data };
    const { value } = await this.#screen('screenError', texts, screening, { server, kind: 'error', name: method });
    return value === texts ? error : rpcError(rpcCode, value.message, value.data);
  }

  async readOverflow(uri: string, identity: CallerIdentity): Promise<JsonObject | undefined> {
    if (this.#overflow === undefined || !isOverflowUri(uri)) return undefined;
    const contents = await this.#overflow.read(uri, getOwnerKey(identity));
    return contents && { ...contents };
  }

  /** Screens and masks a result. Returns the reason instead if the result is blocked. */
  async screenResult({ server, name }: ActionRequest, result: JsonObject): Promise<JsonObject | string> {
    const report = { server, kind: 'result', name } as const;
    const { value, findings } = await this.#screen('screenResult', result, this.#resultScreening, report);
    const { screening } = this.#options;
    const threat = screening && screening.onThreat === 'block' ? findings.find(isThreat) : undefined;
    return threat ? `its result has ${threat.kind} at ${threat.where}` : value;
  }

  /** Screens a value and reports its findings. Returns it unchanged without `screening`. Synchronous if it is small. */
  #screen<Value>(
    screener: ScreenerName,
    value: Value,
    screening: Screening | undefined,
    report: Omit<ScreeningReport, 'findings'>,
  ): MaybePromise<Screened<Value>> {
    if (screening === undefined) return { value, findings: [] };
    const reportFindings = (screened: unknown): Screened<Value> => {
      const found = screened as Screened<Value>;
      if (found.findings.length > 0) this.#options.onScreeningReport?.({ ...report, findings: found.findings });
      return found;
    };
    return isLarge([value])
      ? this.#screenAside({ screener, values: [value], options: screening }).then(([each]) => reportFindings(each))
      : reportFindings(SCREENERS[screener](value as never, screening));
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
