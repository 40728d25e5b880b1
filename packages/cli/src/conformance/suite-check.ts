/** Check of a scenario, as the suite writes it. */
export interface SuiteCheck {
  readonly id: string;
  readonly status: CheckStatus;
  readonly description: string;
  readonly errorMessage: string | undefined;
  /** URL of the requirement. */
  readonly reference: string | undefined;
}

const statuses = ['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO'] as const;

type CheckStatus = (typeof statuses)[number];

const MAX_CHECKS = 10_000;

/** Parses the file `checks.json` of a scenario. Entries of another shape are dropped. */
export function parseChecks(text: string): SuiteCheck[] {
  const list: unknown = JSON.parse(text);
  if (!Array.isArray(list)) return [];
  return list.slice(0, MAX_CHECKS).flatMap((entry: unknown) => {
    const { id, status: given, name, description, errorMessage, specReferences } = toRecord(entry);
    const status = statuses.find(each => each === given);
    if (typeof id !== 'string' || status === undefined) return [];
    const [reference] = Array.isArray(specReferences) ? specReferences : [];
    return [
      {
        id,
        status,
        description: readText(description) ?? readText(name) ?? id,
        errorMessage: readText(errorMessage),
        reference: readText(toRecord(reference).url),
      },
    ];
  });
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
